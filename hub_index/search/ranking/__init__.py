"""From scored candidates to the order that is shown."""
