"""A comparison as the comment of a pull request."""

from comparison.markdown.comment import LARGEST, MARKER, as_markdown

__all__ = ["LARGEST", "MARKER", "as_markdown"]
