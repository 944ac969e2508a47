"""Arguments → open indexes, services and builds."""
