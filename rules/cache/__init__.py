"""Rules about the volume that holds the model."""
