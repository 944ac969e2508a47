"""Query text → a parsed query within its limits."""
