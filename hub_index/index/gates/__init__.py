"""Checks of an index before it is published: each gate raises, says why, and names the option that lets it through."""
