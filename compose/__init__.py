"""A stack on one host without Kubernetes: a compose file and what lies beside it."""
