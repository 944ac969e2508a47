"""What in a skill's files may harm its reader: bytes in, risks out. No I/O; a match's text never leaves as a risk."""
