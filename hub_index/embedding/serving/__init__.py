"""The embedded model as an OpenAI-shaped endpoint on loopback."""
