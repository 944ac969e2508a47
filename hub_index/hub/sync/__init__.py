"""Keeping a clone of a hub: cloned once, moved forward, repaired after a stop."""
