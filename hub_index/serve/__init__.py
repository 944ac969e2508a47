"""Doors: HTTP, JSON-RPC and MCP, each a thin way to the operations of `hub_index.service`; none knows how to search."""
