"""Both sides of a comparison: revisions, each recorded by its own code."""
