"""`hub-index serve --embeddings`: the embedded model behind OpenAI's embeddings API, on loopback."""
