"""Speed as ratios: each benchmark measures hub-index and a peer or a lower bound in the same run."""
