"""A hub's own labelled queries: read, checked, and what a change does to them."""
