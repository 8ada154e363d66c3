"""A compute domain's numNodes is 0, or the number of pods that claim it."""

from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.guarded import check_resources
from rules.reading.nodes.channel_claims import claiming_pods, read_channel_claims
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import read_workers
from rules.reading.shapes import Undecided, whole_number_at

_KIND = "ComputeDomain"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    claiming = _claiming(graph)
    return check_resources(
        graph.kubernetes_objects(_KIND), lambda domain: _check_domain(domain, claiming.get(domain.urn))
    )


def _claiming(graph: ResourceGraph) -> dict[str, int | None]:
    """Domain -> pods that claim its channel; None where that is not known."""
    pods: dict[str, int | None] = {}
    for worker in read_workers(graph):
        if isinstance(worker, Unreadable):
            continue
        try:
            domains = read_channel_claims(graph, worker).domains
        except Undecided:
            continue
        for domain in domains:
            try:
                before = pods.get(domain.urn, 0)
                pods[domain.urn] = None if before is None else before + claiming_pods(worker)
            except Undecided:
                pods[domain.urn] = None
    return pods


def _check_domain(domain: Resource, pods: int | None) -> Iterator[Observation]:
    nodes = whole_number_at(domain.inputs, "spec", "numNodes")
    if not nodes or pods is None or nodes == pods:
        return
    yield failed(
        domain,
        domain.name,
        f"has numNodes {nodes}, but {pods} pods of a node each claim its channel",
    )


RULE = Rule(
    id="compute-domain-node-count",
    title="A compute domain's numNodes is 0, or the number of pods that claim it",
    severity=Severity.ADVISORY,
    reason=(
        "The driver's default (IMEXDaemonsWithDNSNames) lets nodes in as they come; another number only "
        "decides when the domain is called Ready, which then is never, or too early."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu (api/nvidia.com/resource/v1beta1/computedomain.go)",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix="Set numNodes to 0; the spec cannot be changed, so delete and make the domain again.",
    check=_check,
)
