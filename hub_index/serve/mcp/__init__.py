"""MCP: the same operations as tools, skills and resources for agents, on stdio and HTTP."""
