"""The data files that the page loads in a browser."""
