"""Changes that somebody made in the cluster behind a stack's back."""
