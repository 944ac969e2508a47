"""GitHub workflows as values and as steps of a shell."""
