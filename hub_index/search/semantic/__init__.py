"""The semantic leg: a query vector against all vectors."""
