"""From settings to the plan of an EKS cluster: addresses, zones, node groups, storage."""
