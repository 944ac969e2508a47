"""How good and how fast answers are."""
