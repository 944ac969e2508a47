"""What the reader's checkout holds: its files, its commit, what has gone."""
