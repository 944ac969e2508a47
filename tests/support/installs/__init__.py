"""Skills that are installed for an agent: what tests of `hub_index.installs` act in."""
