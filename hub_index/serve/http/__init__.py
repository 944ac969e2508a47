"""HTTP: one ASGI application behind `hub-index serve`, and the server that runs it."""
