"""Helm charts that a program installs."""

from collections.abc import Sequence

from resource_graph import Resource, ResourceGraph
from rules.reading.once import once_per_graph

_TYPES = (
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:helm.sh/v3:Chart",
    "kubernetes:helm.sh/v4:Chart",
)


def releases_of(graph: ResourceGraph, *charts: str) -> Sequence[Resource]:
    """The releases of those charts, by the start of the name: a packaged file's ends in its version."""
    # Rules ask for the same charts once for each graph of a program that has many.
    found = _found(graph)
    if charts not in found:
        candidates = [resource for release_type in _TYPES for resource in graph.of_type(release_type)]
        found[charts] = [release for release in candidates if _chart(release).startswith(charts)]
    return found[charts]


@once_per_graph
def _found(_: ResourceGraph) -> dict[tuple[str, ...], list[Resource]]:
    return {}


def _chart(release: Resource) -> str:
    chart = release.inputs.get("chart")
    # A chart is a name, an address whose last part is the name, or a packaged file.
    return chart.rstrip("/").rpartition("/")[2] if isinstance(chart, str) else ""
