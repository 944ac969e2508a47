"""A commit's tree → the files to index, each with its id, and what is left out."""
