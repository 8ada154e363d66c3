"""Of which release line the operator is that makes a graph's pods."""

import contextlib
from collections.abc import Mapping

from resource_graph import Resource, ResourceGraph
from rules.reading.once import once_per_graph
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate, read_pods
from rules.reading.program.platforms import read_platforms
from rules.reading.shapes import Undecided

RUNTIMES = frozenset({"tensorrtllm-runtime", "vllm-runtime", "sglang-runtime", "dynamo-frontend"})
"""Images that NVIDIA publishes together with the operator, under its version."""

_Lines = frozenset[tuple[int, int]]


def operator_line(graph: ResourceGraph, resource: Resource) -> tuple[int, int]:
    """Major and minor version: of the platform beside the graph, else of the images that its pods run.

    Raises:
        Undecided: neither says it, or two lines are named.
    """
    known = sorted(_of_platforms(graph) or _of_images(graph).get(resource.urn, ()))
    if len(known) != 1:
        said = " and ".join(f"{major}.{minor}" for major, minor in known) or "nothing"
        raise Undecided(f"{said} says of which release the operator is")
    return known[0]


@once_per_graph
def _of_platforms(graph: ResourceGraph) -> _Lines:
    return frozenset(platform.line for platform in read_platforms(graph) if platform.line is not None)


@once_per_graph
def _of_images(graph: ResourceGraph) -> Mapping[str, _Lines]:
    """URN of a Dynamo graph -> release lines of the images that its pods run, as far as that is told."""
    lines: dict[str, _Lines] = {}
    for template in read_pods(graph):
        if not isinstance(template, PodTemplate) or template.shape == "workload":
            continue
        with contextlib.suppress(Undecided):
            image = read_image(template.main)
            if image is not None and image.name in RUNTIMES and image.line is not None:
                urn = template.resource.urn
                lines[urn] = lines.get(urn, frozenset()) | {image.line}
    return lines
