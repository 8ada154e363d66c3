"""A compute domain is claimed where NVLink leads from node to node."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.nodes.channel_claims import read_channel_claims
from rules.reading.nodes.fabric import nodes_without_fabric
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    claims = read_channel_claims(graph, worker).by_pod
    if not claims:
        return
    without = nodes_without_fabric(graph, worker)
    if without:
        yield failed(
            worker.resource,
            worker.name,
            f"claims a compute domain's channel as {', '.join(sorted(claims))}, but can land on "
            f"{', '.join(without)}, whose NVLink ends at the node: the claim succeeds and brings no channel",
        )


RULE = Rule(
    id="compute-domain-has-a-fabric",
    title="A compute domain is claimed where NVLink leads from node to node",
    severity=Severity.ADVISORY,
    reason=(
        "On a node that is on no NVLink fabric the DRA driver grants the claim and hands out no channel. The "
        "pod starts, has nothing of it, and takes the node's one claim from others."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu (compute-domain kubelet plugin at 2026-08-07)",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix="Leave the ComputeDomain and its claims out, or select GB200 nodes.",
    check=_check,
)
