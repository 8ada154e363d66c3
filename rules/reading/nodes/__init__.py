"""Which nodes there are, which a pod can land on, and their devices."""
