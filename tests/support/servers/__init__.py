"""Running servers and databases, and clients that say exactly what they mean."""
