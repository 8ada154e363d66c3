"""The vendor's Kubernetes plugin in the lab, in place of the stand-in."""
