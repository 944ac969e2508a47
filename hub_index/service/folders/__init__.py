"""Folders of skills without an index: embedded with the embedded model into the user's own cache."""
