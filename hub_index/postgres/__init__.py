"""Indexes in PostgreSQL with pgvector: loaded, updated in place, and searched there; psycopg when called."""
