"""The index folder on disk: read verified, written whole, one builder at a time."""
