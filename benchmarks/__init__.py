"""Speed as ratios: each benchmark measures us and a peer or floor in the same run."""
