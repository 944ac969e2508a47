"""What the tests build their worlds with: hubs, indexes, servers, child processes."""
