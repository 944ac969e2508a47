"""Command lines, terminals, and what all tests of a run share."""
