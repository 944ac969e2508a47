"""The vector cache on disk: every vector that was computed or paid for is kept."""
