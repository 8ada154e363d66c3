"""Stand-in for the AWS command line, for the one command that a kubeconfig of EKS names."""
