"""Vectors → published index: plan, encode, verify, store, publish."""
