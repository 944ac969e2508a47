"""A guest: skills of a hub in the folders where agents look for them, and `hub-index.lock`, which records them."""
