"""A compute domain's channel is claimed by the pod and used by its container."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.channel_claims import read_channel_claims
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    claims = read_channel_claims(graph, worker)
    for name in sorted(claims.by_pod - claims.by_container):
        yield failed(
            worker.resource,
            worker.name,
            f"its pod claims the compute domain's channel as {name}, but no container has {name} in "
            "resources.claims, so none of them gets the channel",
        )
    for name in sorted(claims.by_container - claims.pod_claims):
        yield failed(
            worker.resource,
            worker.name,
            f"its container uses the claim {name}, but the pod has none of that name in resourceClaims, so "
            "the API server refuses the pod",
        )


RULE = Rule(
    id="compute-domain-claims",
    title="A compute domain's channel is claimed by the pod and used by its container",
    severity=Severity.MANDATORY,
    reason=(
        "A claim of the pod alone prepares the channel and hands it to no container: the engine starts, "
        "finds no fabric memory and falls back to TCP. A claim of the container alone is no valid pod."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ (pod claims "
        "and container claims)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Name the claim twice: in the pod's resourceClaims and in the container's resources.claims "
        "(v1alpha1: services.<name>.resources.claims)."
    ),
    check=_check,
)
