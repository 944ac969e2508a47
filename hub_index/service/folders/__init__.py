"""Folders of skills without an index of their own: embedded with the embedded model into the user's own cache."""
