"""Node pools as settings, read off a cluster that exists."""
