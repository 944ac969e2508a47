"""The embedded multilingual model: its files, its tokenizer, its forward pass."""
