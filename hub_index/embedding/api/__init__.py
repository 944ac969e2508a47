"""Models behind an API: requests, retries, checks, and what differs between the SDKs."""
