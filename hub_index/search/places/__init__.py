"""Which index answers, and its files, verified before they are used."""
