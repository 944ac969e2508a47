"""The hubs that a service has open, and how callers name them."""
