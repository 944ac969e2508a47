"""An index → one commit on a branch, here or on a remote."""
