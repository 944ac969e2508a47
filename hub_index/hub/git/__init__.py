"""Reading and starting git: a repository's objects, processes, the network, addresses."""
