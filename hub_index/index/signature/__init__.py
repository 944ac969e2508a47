"""OpenSSH's signatures of a manifest: made when a hub is published, checked where the user has allowed signers."""
