"""Rerankers: a query and the first hits' texts → a score for each, from an API, a server of one's own or a folder."""
