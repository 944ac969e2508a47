"""A checked change in the words of whoever reads it: people, GitHub, code scanners, programs."""
