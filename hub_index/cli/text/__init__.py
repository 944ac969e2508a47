"""Results, reports and problems as people read them."""
