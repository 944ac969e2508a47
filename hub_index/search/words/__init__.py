"""Text → tokens, and the words that tell little."""
