"""What stops an index from going out; each gate raises and changes nothing."""
