"""Both sides of a comparison: revisions, each recorded by its own code."""

from operations.revisions.sides import recorded_sides

__all__ = ["recorded_sides"]
