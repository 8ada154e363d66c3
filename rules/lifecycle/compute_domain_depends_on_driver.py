"""A compute domain is deleted while the driver that cleans up after it still runs."""

from collections.abc import Iterator

from resource_graph import Aspect, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.program.order import dependencies_of
from rules.reading.program.releases import releases_of

_CHARTS = ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    # Most clusters have the driver from elsewhere, so a program without it is in order.
    releases = releases_of(graph, *_CHARTS)
    if not releases:
        return
    for resource in graph.kubernetes_objects("ComputeDomain"):
        if dependencies_of(graph, resource).isdisjoint(release.urn for release in releases):
            names = ", ".join(release.name for release in releases)
            yield failed(resource, resource.name, f"does not depend on {names}, which installs its driver")


RULE = Rule(
    id="compute-domain-depends-on-driver",
    title="A compute domain depends on the release that installs its driver",
    severity=Severity.MANDATORY,
    reason=(
        "The driver's controller removes the finalizer resource.nvidia.com/computeDomain; once it is gone "
        "the compute domain, and the namespace around it, can no longer be deleted."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu cmd/compute-domain-controller at 95932046 (finalizer)",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix="Give the compute domain depends_on with the driver's release.",
    check=_check,
    reads=frozenset({Aspect.EDGES}),
)
