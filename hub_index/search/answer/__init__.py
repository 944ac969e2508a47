"""Ranked rows → hits with snippets and explanations."""
