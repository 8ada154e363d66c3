"""How long the engine waits for a resource, as its program says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.shapes import Undecided, mapping_at
from rules.reading.storage.filled_caches import cache_fillers

WAIT_FOR = "pulumi.com/waitFor"
SKIP_AWAIT = "pulumi.com/skipAwait"
_SECONDS = "pulumi.com/timeoutSeconds"


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait that takes longer than the provider's default allows."""

    resource: Resource
    what: str
    untimed: Sequence[str]
    """create, update: the operations for which nothing says how long to wait."""


def annotations(resource: Resource) -> Mapping[str, Value]:
    """Of the object.

    Raises:
        Undecided: they are unknown, in whole or in the part that says how to wait.
    """
    found = mapping_at(resource.inputs, "metadata", "annotations")
    for key in (WAIT_FOR, SKIP_AWAIT, _SECONDS):
        if found.get(key) is UNKNOWN:
            raise Undecided(f"annotation {key} is known only after the update")
    return found


def long_waits(graph: ResourceGraph) -> Iterator[Wait | tuple[Resource, Undecided]]:
    """Every graph that is waited for, and every Job that fills a graph's cache."""
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        yield from _guarded(resource, "until its workers have loaded the model", ("create", "update"))
    for job in cache_fillers(graph):
        # A Job with another template is another Job, so there is no update to wait for.
        yield from _guarded(job, "until it has filled the cache", ("create",))


def _guarded(
    resource: Resource, what: str, operations: Sequence[str]
) -> Iterator[Wait | tuple[Resource, Undecided]]:
    try:
        found = annotations(resource)
    except Undecided as reason:
        yield resource, reason
        return
    if found.get(SKIP_AWAIT) == "true" or (resource.kind == GRAPH_KIND and WAIT_FOR not in found):
        return
    timeouts = resource.custom_timeouts
    seconds = {"create": timeouts.create, "update": timeouts.update}
    untimed = [] if _SECONDS in found else [each for each in operations if seconds[each] is None]
    yield Wait(resource, what, untimed)
