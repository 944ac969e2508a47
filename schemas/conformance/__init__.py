"""Small indexes, right and damaged, by which a reader in any language is tested; README.md says how."""
