"""Deletions, and the platform's installation, end in a time that somebody chose."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.references import CLAIM
from rules.reading.program.releases import releases_of
from rules.reading.storage.filled_caches import cache_fillers

_CHART = "dynamo-platform"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for release in releases_of(graph, _CHART):
        timeouts = release.custom_timeouts
        if release.inputs.get("timeout") is None and timeouts.create is None:
            yield failed(
                release,
                release.name,
                "has neither a timeout nor customTimeouts: Helm gives up after its own 5 minutes",
            )
    for resource in _waiting(graph):
        if resource.custom_timeouts.delete is None:
            yield failed(
                resource,
                resource.name,
                f"nothing says how long to wait for the deletion of this {resource.kind or 'release'}",
            )


def _waiting(graph: ResourceGraph) -> Iterator[Resource]:
    """What is deleted only when something else has ended: pods, finalizers, mounts."""
    yield from releases_of(graph, _CHART)
    for kind in (GRAPH_KIND, CLAIM, "Namespace"):
        yield from graph.kubernetes_objects(kind)
    yield from cache_fillers(graph)


RULE = Rule(
    id="other-waits-have-timeouts",
    title="Deletions and the platform's installation have time limits",
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
    check=_check,
    reads=frozenset({Aspect.PROTECTION}),
)
