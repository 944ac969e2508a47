"""JSON-RPC 2.0: the same operations for programs that speak it, over HTTP and WebSocket."""
