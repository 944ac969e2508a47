"""A checked change in one format for each reader: people, GitHub, code scanners, programs."""
