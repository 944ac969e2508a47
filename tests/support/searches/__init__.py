"""Hubs that are searched and used."""
