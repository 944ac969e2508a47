"""What a build did and cost, and what a run knows of itself so far."""
