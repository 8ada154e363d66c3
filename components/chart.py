"""A Helm chart."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, its version and where it comes from."""

    name: str
    version: str
    repository: str | None
    """None for a chart whose name is an oci:// address."""
