"""A request → the hits of one hub."""
