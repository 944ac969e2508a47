"""Text → vectors: the embedded model and the API providers behind one protocol."""
