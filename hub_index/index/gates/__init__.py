"""What an index must pass before it goes out: each gate raises, says why, and names the option that lets it through."""
