"""What somebody changed in the cluster behind a stack's back."""
