"""The lexical index in the user's cache folder; `cache` is the way in."""
