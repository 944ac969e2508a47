"""The reader's checkout: its files, its commit, and missing files."""
