"""The three published files ↔ values: encoding, decoding, checks. No I/O."""
