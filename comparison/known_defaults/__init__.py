"""Values that the API server fills in, so that a field written out with one of them is no change."""
