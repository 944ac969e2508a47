"""Models in folders of the user's own: ONNX weights and a tokenizer, found, fetched, checked and run."""
