"""The vector cache on disk: what was paid for once is kept."""
