"""The embedded multilingual model: its files, its tokenizers, its forward pass, its copy in the cache folder."""
