"""One skill by its name, and its neighbours."""
