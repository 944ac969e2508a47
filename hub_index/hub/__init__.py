"""What is in the hub: git revision → files → skills and problems → embedding text."""
