"""The contents of the hub: git revision → files → skills and problems → embedding text."""
