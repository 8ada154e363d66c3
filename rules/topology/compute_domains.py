"""Compute domains: who claims their channels, and how many nodes they have."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hardware import InstanceType
from resource_graph import Resource, ResourceGraph
from rules.reading.devices import (
    claiming_pods,
    containers_claims,
    efa_interfaces,
    rdma_devices,
    read_channel_claims,
    read_device_claims,
)
from rules.reading.disaggregation import Disaggregated
from rules.reading.placements import (
    CLIQUE,
    nodes_without_fabric,
    not_bound,
    read_placement,
)
from rules.reading.pods.pods import readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided, grouped, known, memoized, whole_number_at
from rules.rule import (
    DISAGGREGATED_GRAPHS,
    WORKERS,
    Advice,
    Observation,
    Said,
    Severity,
    each_of,
    graph_rule,
    kubernetes_objects,
    rule,
)

_MOST_NODES = 18
"""Nodes of one compute domain: trays of an NVL72, and the most that the DRA driver lets in."""


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "A claim of the pod alone prepares the channel and hands it to no container: the engine starts, "
        "finds no fabric memory and falls back to TCP. A claim of the container alone is no valid pod. On a "
        "node that is on no NVLink fabric the DRA driver grants the claim and hands out no channel (advice)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ (pod claims "
        "and container claims); kubernetes-sigs/dra-driver-nvidia-gpu (compute-domain kubelet plugin at "
        "2026-08-07)"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "Name the claim twice: in the pod's resourceClaims and in the container's resources.claims "
        "(v1alpha1: services.<name>.resources.claims); on GB200 nodes."
    ),
)
def compute_domain_claims(graph: ResourceGraph, worker: Worker) -> Iterable[Said]:
    """Compute domain's channel reaches no container."""
    return each_of(graph, worker, _claim_of_no_pod, _half_a_claim, _without_fabric)


def _claim_of_no_pod(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    of_pod = {claim.name for claim in read_device_claims(graph, worker.template)}
    for name in sorted({*containers_claims(worker.template)} - of_pod):
        yield (
            f"its container uses the claim {name}, but the pod has none of that name in resourceClaims, so "
            "the API server refuses the pod"
        )


def _half_a_claim(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    for name in sorted(claim.name for claim in read_channel_claims(graph, worker) if not claim.used):
        yield (
            f"its pod claims the compute domain's channel as {name}, but no container has {name} in "
            "resources.claims, so none of them gets the channel"
        )


def _without_fabric(graph: ResourceGraph, worker: Worker) -> Iterator[Advice]:
    claims = {claim.name for claim in read_channel_claims(graph, worker)}
    without = nodes_without_fabric(graph, worker) if claims else ()
    if without:
        yield Advice(
            f"claims a compute domain's channel as {', '.join(sorted(claims))}, but can land on "
            f"{', '.join(without)}, whose NVLink ends at the node: the claim succeeds and brings no channel"
        )


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Memory is shared inside one ComputeDomain only, and pods without a network device have no other "
        "fast way for the cache. A domain of more than 18 nodes never gets ready. The driver's default "
        "(IMEXDaemonsWithDNSNames) lets nodes in as they come; a numNodes other than the pods' only makes "
        "Ready come never, or too early (advice). Its spec cannot be changed: another size means another "
        "domain."
    ),
    source=(
        "kubernetes-sigs/dra-driver-nvidia-gpu (api/nvidia.com/resource/v1beta1/computedomain.go), "
        "kubernetes-sigs/dra-driver-nvidia-gpu#619"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "One ComputeDomain with numNodes 0 beside the graph, claimed by prefill and decode through one "
        "template; at most 18 claiming pods. Delete and make it again for another numNodes."
    ),
)
def one_compute_domain(graph: ResourceGraph) -> Iterator[Observation]:
    """Compute domain is of another size than its pods, or not shared by prefill and decode."""
    yield from kubernetes_objects("ComputeDomain").judge(graph, _size)
    # Another rule reports the worker whose claim cannot be read.
    yield from replace(DISAGGREGATED_GRAPHS, passed_over=(Undecided,)).judge(graph, _domains_of_group)


def _size(graph: ResourceGraph, domain: Resource) -> Iterator[Said]:
    nodes = whole_number_at(domain.inputs, "spec", "numNodes")
    if nodes is not None and nodes > _MOST_NODES:
        yield f"has numNodes {nodes}, but a compute domain has {_MOST_NODES} nodes at most"
    pods = _claiming(graph).get(domain.urn)
    if nodes and pods is not None and nodes != pods:
        yield Advice(f"has numNodes {nodes}, but {pods} pods of a node each claim its channel")


def _domains_of_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    of_worker = [(worker, _domains(graph, worker)) for worker in group.workers]
    claiming = [(worker, domains[0]) for worker, domains in of_worker if domains]
    domains = {domain.urn: f"{domain.object_name} by {worker.name}" for worker, domain in claiming}
    pods = sum(claiming_pods(worker) for worker, _ in claiming)
    # Where the cache need not take NVLink, a domain for each kind of worker serves its own ranks.
    if len(domains) > 1:
        if not all(rdma_devices(worker) or efa_interfaces(worker) for worker in group.workers):
            yield f"uses several compute domains: {', '.join(domains.values())}"
    elif pods > _MOST_NODES:
        counted = " + ".join(f"{claiming_pods(worker)} of {worker.name}" for worker, _ in claiming)
        yield (
            f"{pods} pods ({counted}) of a node each share one compute domain, which has {_MOST_NODES} nodes "
            "at most"
        )


def _domains(graph: ResourceGraph, worker: Worker) -> Sequence[Resource]:
    """The ComputeDomains whose channels the worker's pod claims, as far as they are part of the graph."""
    return [claim.domain for claim in read_channel_claims(graph, worker) if claim.domain is not None]


@memoized
def _claiming(graph: ResourceGraph) -> dict[str, int | None]:
    """Domain -> number of pods that claim its channel; None where the number is not known."""
    domains = ((each, known(_domains, graph, each) or ()) for each in readable(read_workers(graph)))
    pods = grouped((domain.urn, known(claiming_pods, each)) for each, found in domains for domain in found)
    return {urn: None if None in counts else sum(filter(None, counts)) for urn, counts in pods.items()}


@rule(
    DISAGGREGATED_GRAPHS,
    severity=Severity.MANDATORY,
    reason=(
        "Required affinity to one clique leaves pods Pending that its nodes have no GPUs for, however many "
        "are free in the next one. A pod that claims a compute domain's channel takes a whole node of them."
    ),
    source=(
        "https://aws.amazon.com/ec2/instance-types/p6/ (36 or 72 GPUs); "
        "kubernetes-sigs/dra-driver-nvidia-gpu#353"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix="Lower the replicas, or deploy one graph for each NVLink domain.",
)
def nvlink_domain_holds_the_pods(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Pods bound to one clique exceed its NVLink domain."""
    if not_bound(group.workers, CLIQUE):
        return
    placement = read_placement(graph, group.workers[0])
    node = placement.instance_type
    if not node.nvlink_crosses_nodes:
        return
    gpus = [(worker, _gpus(graph, worker, node)) for worker in group.workers]
    largest, total = max(placement.nvlink_domains), sum(each for _, each in gpus)
    if total > largest:
        counted = " + ".join(
            f"{each} for {claiming_pods(worker)} pods of {worker.name}" for worker, each in gpus
        )
        yield (
            f"binds {total} GPUs ({counted}) to one {CLIQUE}, but an NVLink domain of {node.name} has "
            f"{largest} at most"
        )


def _gpus(graph: ResourceGraph, worker: Worker, node: InstanceType) -> int:
    # A pod with a channel has its node for itself, as far as other claiming pods go.
    alone = bool(read_channel_claims(graph, worker))
    return claiming_pods(worker) * (node.gpus if alone else worker.gpus_per_pod)
