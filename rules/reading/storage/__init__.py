"""Volumes, claims and the model on them."""
