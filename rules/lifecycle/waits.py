"""Whether an update waits for what takes long, and every wait ends in a time that somebody chose."""

from collections.abc import Iterator, Mapping, Sequence

from resource_graph import UNKNOWN, Aspect, Resource, ResourceGraph, Value
from rules.model import Observation, Severity, failed
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.references import CLAIM, cache_fillers
from rules.reading.releases import releases_of
from rules.reading.shapes import Undecided, mapping_at
from rules.rule import Subjects, graph_rule, rule
from rules.subjects import kubernetes_objects

_PLATFORM = "dynamo-platform"
_WAIT_FOR = "pulumi.com/waitFor"
_SKIP_AWAIT = "pulumi.com/skipAwait"
_SECONDS = "pulumi.com/timeoutSeconds"
_GRAPHS = kubernetes_objects(GRAPH_KIND)
_FILLERS: Subjects[Resource] = Subjects(cache_fillers, lambda each: (each, each.name))


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The provider gives up after ten minutes, which is less than a large model takes to download or to "
        "load: the update fails although nothing is wrong, and what comes after it is not created."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go and provider/pkg/metadata at a03ff6ba58d2 "
        "(customTimeouts, then pulumi.com/timeoutSeconds, then 10 min)"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix="Set customTimeouts for create and update, from the size of the model and the speed of its storage.",
    reads=frozenset({Aspect.PROTECTION}),
)
def waits_have_timeouts(graph: ResourceGraph) -> Iterator[Observation]:
    """The waits for a download and for a graph have time limits of their own."""
    yield from _GRAPHS.judge(graph, _wait_for_graph)
    yield from _FILLERS.judge(graph, _wait_for_filler)


def _wait_for_graph(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    if _WAIT_FOR in _annotations(resource):
        yield from _untimed(resource, "until its workers have loaded the model", ("create", "update"))


def _wait_for_filler(_: ResourceGraph, job: Resource) -> Iterator[str]:
    # A Job with another template is another Job, so there is no update to wait for.
    return _untimed(job, "until it has filled the cache", ("create",))


def _untimed(resource: Resource, what: str, operations: Sequence[str]) -> Iterator[str]:
    found = _annotations(resource)
    if found.get(_SKIP_AWAIT) == "true" or _SECONDS in found:
        return
    timeouts = resource.custom_timeouts
    seconds = {"create": timeouts.create, "update": timeouts.update}
    untimed = [operation for operation in operations if seconds[operation] is None]
    if untimed:
        yield (
            f"is waited for {what}, and nothing says how long at {' and '.join(untimed)}: the provider "
            "gives up after its own 10 minutes"
        )


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "An object whose finalizer nobody removes keeps `destroy` for the provider's ten minutes, each one "
        "after the other; a limit of its own ends there and names what hangs."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go (deletion) and provider/pkg/provider/"
        "helm_release.go (300 s) at a03ff6ba58d2"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix="Set customTimeouts for delete, and the release's timeout.",
    reads=frozenset({Aspect.PROTECTION}),
)
def other_waits_have_timeouts(graph: ResourceGraph) -> Iterator[Observation]:
    """Deletions and the platform's installation have time limits."""
    for release in releases_of(graph, _PLATFORM):
        if release.inputs.get("timeout") is None and release.custom_timeouts.create is None:
            yield failed(
                release,
                release.name,
                "has neither a timeout nor customTimeouts: Helm gives up after its own 5 minutes",
            )
    for resource in _deleted_late(graph):
        if resource.custom_timeouts.delete is None:
            yield failed(
                resource,
                resource.name,
                f"nothing says how long to wait for the deletion of this {resource.kind or 'release'}",
            )


def _deleted_late(graph: ResourceGraph) -> Iterator[Resource]:
    """Resources that are deleted only when something else has ended: pods, finalizers, mounts."""
    yield from releases_of(graph, _PLATFORM)
    for kind in (GRAPH_KIND, CLAIM, "Namespace"):
        yield from graph.kubernetes_objects(kind)
    yield from cache_fillers(graph)


@rule(
    _GRAPHS,
    severity=Severity.ADVISORY,
    reason=(
        "Of custom resources the provider knows no readiness: without the annotation an update succeeds "
        "while the workers are still Pending, and nobody hears of it."
    ),
    source="pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2 (pulumi.com/waitFor)",
    lines=("pulumi-kubernetes of 2026-06",),
    fix=f"Annotate the graph with {_WAIT_FOR}: condition=Ready.",
    reads=frozenset({Aspect.PROTECTION}),
)
def graph_is_awaited(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    """The engine waits until a graph is ready."""
    found = _annotations(resource)
    if found.get(_SKIP_AWAIT) == "true":
        yield f"is not waited for: {_SKIP_AWAIT} is true"
    elif _WAIT_FOR not in found:
        yield f"is not waited for: it has no annotation {_WAIT_FOR}"


def _annotations(resource: Resource) -> Mapping[str, Value]:
    """Annotations of the object."""
    found = mapping_at(resource.inputs, "metadata", "annotations")
    for key in (_WAIT_FOR, _SKIP_AWAIT, _SECONDS):
        if found.get(key) is UNKNOWN:
            raise Undecided(f"annotation {key} is known only after the update")
    return found
