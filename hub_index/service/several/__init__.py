"""Several hubs, one answer."""
