"""Models behind an API: one encoder for all providers, a client for each SDK, retries and checks."""
