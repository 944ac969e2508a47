"""The page in a browser, in node and behind a plain file server."""
