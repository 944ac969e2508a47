"""One file a verb: its arguments, its work, its output."""
