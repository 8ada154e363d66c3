"""The Dynamo platform that a graph's own resources install."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph
from rules.reading.once import once_per_graph
from rules.reading.pods.images import release_line
from rules.reading.program.releases import releases_of
from rules.reading.shapes import Undecided, text_at

PLATFORM_TYPE = "dynamo-stack:check:Platform"
"""Type of the resource that stands for a platform which a person named beside a file."""

_CHART = "dynamo-platform"
_VERSION_OF_ARCHIVE = re.compile(rf"{_CHART}-(\d[^/]{0, 100}?)\.tgz$")


@dataclass(frozen=True, slots=True)
class Platform:
    """A release of the platform's chart."""

    resource: Resource
    version: str

    @property
    def line(self) -> tuple[int, int] | None:
        """Major and minor version; None for what is no version."""
        return release_line(self.version)


def platform_resource(version: str) -> Resource:
    """A platform that a person named, as a resource of the graph that it is judged with."""
    inputs = {"version": version}
    return Resource(urn="platform", type=PLATFORM_TYPE, name=_CHART, inputs=inputs, custom=False)


@once_per_graph
def read_platforms(graph: ResourceGraph) -> Sequence[Platform]:
    """Every release of the platform whose version can be read; the one that a person named stands for all."""
    named = graph.of_type(PLATFORM_TYPE)
    if named:
        return tuple(Platform(resource, str(resource.inputs["version"])) for resource in named)
    found: list[Platform] = []
    for resource in releases_of(graph, _CHART):
        try:
            version, chart = text_at(resource.inputs, "version"), text_at(resource.inputs, "chart")
        except Undecided:
            continue
        archive = _VERSION_OF_ARCHIVE.search(chart or "")
        version = version or (archive.group(1) if archive else None)
        if version is not None:
            found.append(Platform(resource, version))
    return tuple(found)
