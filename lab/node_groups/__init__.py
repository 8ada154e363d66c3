"""Stand-in for what happens on instances of EKS node groups: they join the cluster as nodes, and leave it."""
