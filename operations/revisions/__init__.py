"""Both sides of a comparison: revisions or folders, each recorded by its own code."""
