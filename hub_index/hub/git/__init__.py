"""How git is read and started: a repository's objects, processes, the network, addresses."""
