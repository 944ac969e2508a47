"""The local, opt-in record of searches and uses, and what is learnt from it."""
