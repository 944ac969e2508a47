"""A skill's own files, passages and headings."""
