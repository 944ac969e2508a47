"""The static site of a hub: data for the browser, made from the index; `web/` holds the page itself."""
