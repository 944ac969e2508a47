"""Builds and publishers, with the disks, limits and keys that they meet."""
