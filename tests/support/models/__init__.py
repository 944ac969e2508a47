"""Encoders and the servers of models."""
