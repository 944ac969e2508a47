"""Hubs: made, changed, hostile, labelled, synced."""
