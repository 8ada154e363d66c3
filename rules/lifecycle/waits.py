"""Whether an update waits for what takes long, and every wait ends in a time that somebody chose."""

from collections.abc import Iterator, Mapping, Sequence

from resource_graph import UNKNOWN, Aspect, Resource, ResourceGraph, Value
from rules.model import Observation, Severity, advised
from rules.reading.claims import CLAIM
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.references import cache_fillers
from rules.reading.releases import PLATFORM_CHART, releases_of
from rules.reading.shapes import Undecided, mapping_at
from rules.rule import Advice, Said, Subjects, graph_rule
from rules.subjects import kubernetes_objects

_WAIT_FOR = "pulumi.com/waitFor"
SKIP_AWAIT = "pulumi.com/skipAwait"
_SECONDS = "pulumi.com/timeoutSeconds"
_GRAPHS = kubernetes_objects(GRAPH_KIND)
_FILLERS: Subjects[Resource] = Subjects(cache_fillers, lambda each: (each, each.name))


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The provider gives up after ten minutes, which is less than a large model takes to download or to "
        "load: the update fails although nothing is wrong, and what comes after it is not created. Of custom "
        "resources it knows no readiness: without the annotation an update succeeds while the workers are "
        "still Pending (advice). An object whose finalizer nobody removes keeps `destroy` for ten minutes, "
        "each one after the other; a limit of its own names what hangs (advice)."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go (pulumi.com/waitFor, deletion), "
        "provider/pkg/metadata and provider/pkg/provider/helm_release.go (300 s) at a03ff6ba58d2 "
        "(customTimeouts, then pulumi.com/timeoutSeconds, then 10 min)"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix=(
        f"Annotate the graph with {_WAIT_FOR}: condition=Ready. Set customTimeouts for create and update, "
        "from the size of the model and the speed of its storage, and for delete; and the release's timeout."
    ),
    reads=frozenset({Aspect.PROTECTION}),
)
def waits_have_timeouts(graph: ResourceGraph) -> Iterator[Observation]:
    """Wait for a download, a graph or a deletion has no time limit of its own, or nobody waits."""
    yield from _GRAPHS.judge(graph, _wait_for_graph)
    # A Job with another template is another Job, so there is no update to wait for.
    yield from _FILLERS.judge(
        graph, lambda _, job: _untimed(job, "until it has filled the cache", ("create",))
    )
    for release in releases_of(graph, PLATFORM_CHART):
        if release.inputs.get("timeout") is None and release.custom_timeouts.create is None:
            said = "has neither a timeout nor customTimeouts: Helm gives up after its own 5 minutes"
            yield advised(release, release.name, said)
    for resource in _deleted_late(graph):
        if resource.custom_timeouts.delete is None:
            said = f"nothing says how long to wait for the deletion of this {resource.kind or 'release'}"
            yield advised(resource, resource.name, said)


def _wait_for_graph(_: ResourceGraph, resource: Resource) -> Iterator[Said]:
    found = _annotations(resource)
    if found.get(SKIP_AWAIT) == "true":
        yield Advice(f"is not waited for: {SKIP_AWAIT} is true")
    elif _WAIT_FOR not in found:
        yield Advice(f"is not waited for: it has no annotation {_WAIT_FOR}")
    else:
        yield from _untimed(resource, "until its workers have loaded the model", ("create", "update"))


def _untimed(resource: Resource, what: str, operations: Sequence[str]) -> Iterator[str]:
    found = _annotations(resource)
    if found.get(SKIP_AWAIT) == "true" or _SECONDS in found:
        return
    timeouts = resource.custom_timeouts
    untimed = [operation for operation in operations if getattr(timeouts, operation) is None]
    if untimed:
        yield (
            f"is waited for {what}, and nothing says how long at {' and '.join(untimed)}: the provider "
            "gives up after its own 10 minutes"
        )


def _deleted_late(graph: ResourceGraph) -> Iterator[Resource]:
    """Resources that are deleted only when something else has ended: pods, finalizers, mounts."""
    yield from releases_of(graph, PLATFORM_CHART)
    for kind in (GRAPH_KIND, CLAIM, "Namespace"):
        yield from graph.kubernetes_objects(kind)
    yield from cache_fillers(graph)


def _annotations(resource: Resource) -> Mapping[str, Value]:
    """Annotations of the object."""
    found = mapping_at(resource.inputs, "metadata", "annotations")
    for key in (_WAIT_FOR, SKIP_AWAIT, _SECONDS):
        if found.get(key) is UNKNOWN:
            raise Undecided(f"annotation {key} is known only after the update")
    return found
