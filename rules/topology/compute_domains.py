"""Compute domains: who claims their channels, and how many nodes they have."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hardware import InstanceType
from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.devices import (
    claiming_pods,
    domains_of_template,
    efa_interfaces,
    may_be_one,
    rdma_devices,
    read_channel_claims,
    read_device_claims,
)
from rules.reading.disaggregation import Disaggregated
from rules.reading.memoized import memoized
from rules.reading.placements import CLIQUE, nodes_without_fabric, not_bound, read_placement
from rules.reading.pods.pods import readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided, known, whole_number_at
from rules.rule import graph_rule, rule
from rules.subjects import DISAGGREGATED_GRAPHS, WORKERS, kubernetes_objects

_MOST_NODES = 18
"""Nodes of one compute domain: trays of an NVL72, and the most that the DRA driver lets in."""
_COMPUTE_DOMAINS = kubernetes_objects("ComputeDomain")


@rule(
    WORKERS,
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
)
def compute_domain_claims(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A compute domain's channel is claimed by the pod and used by its container."""
    claims = read_channel_claims(graph, worker)
    for name in sorted(claims.by_pod - claims.by_container):
        yield (
            f"its pod claims the compute domain's channel as {name}, but no container has {name} in "
            "resources.claims, so none of them gets the channel"
        )
    for name in sorted(claims.by_container - claims.pod_claims):
        yield (
            f"its container uses the claim {name}, but the pod has none of that name in resourceClaims, so "
            "the API server refuses the pod"
        )


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The DRA driver offers channel-0 alone on each node and prepares it for one claim; the next pod that "
        "claims one there stays Pending, however many GPUs are free."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu#353",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "Lower the replicas of the claiming workers, add nodes to the pool, or serve without a compute "
        "domain."
    ),
)
def one_claim_per_tray(graph: ResourceGraph) -> Iterator[Observation]:
    """Pods that claim a compute domain's channel need a node each."""
    pools: dict[str, tuple[int, str]] = {}
    claiming: dict[str, dict[int, tuple[Worker, int]]] = {}

    def collect(_: ResourceGraph, worker: Worker) -> Sequence[str]:
        if read_channel_claims(graph, worker).by_pod:
            pool = read_placement(graph, worker)
            pools.setdefault(pool.name, (pool.nodes, pool.instance_type.name))
            # Several workers of one pod share its channel.
            claiming.setdefault(pool.name, {}).setdefault(id(worker.pod), (worker, claiming_pods(worker)))
        return ()

    yield from WORKERS.judge(graph, collect)
    for name, workers in claiming.items():
        (nodes, instance_type), total = pools[name], sum(pods for _, pods in workers.values())
        if total > nodes:
            counted = " + ".join(f"{pods} of {each.name}" for each, pods in workers.values())
            yield failed(
                list(workers.values())[-1][0].resource,
                ", ".join(each.name for each, _ in workers.values()),
                f"{total} pods ({counted}) each claim a compute domain's channel, of which a node has one, "
                f"but pool {name} has {nodes} node{'s' if nodes > 1 else ''} of {instance_type}",
            )


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Memory is shared inside one ComputeDomain only, and pods without a network device have no other "
        "fast way for the cache. Its controller makes the claim template in the domain's own namespace, so "
        "that pods elsewhere wait for ever, and a domain of more than 18 nodes never gets ready. Its spec "
        "cannot be changed: another size means another domain."
    ),
    source=(
        "kubernetes-sigs/dra-driver-nvidia-gpu (api/nvidia.com/resource/v1beta1/computedomain.go), "
        "kubernetes-sigs/dra-driver-nvidia-gpu#619"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "One ComputeDomain with numNodes 0 beside the graph, claimed by prefill and decode through one "
        "template; at most 18 claiming pods."
    ),
)
def one_compute_domain(graph: ResourceGraph) -> Iterator[Observation]:
    """Prefill and decode share one compute domain, which is in their namespace and not too large."""
    yield from _COMPUTE_DOMAINS.judge(graph, _too_many_nodes)
    yield from WORKERS.judge(graph, _other_namespace)
    # Another rule reports the worker whose claim cannot be read.
    yield from replace(DISAGGREGATED_GRAPHS, passed_over=(Undecided,)).judge(graph, _domains_of_group)


def _too_many_nodes(_: ResourceGraph, domain: Resource) -> Iterator[str]:
    nodes = whole_number_at(domain.inputs, "spec", "numNodes")
    if nodes is not None and nodes > _MOST_NODES:
        yield f"has numNodes {nodes}, but a compute domain has {_MOST_NODES} nodes at most"


def _other_namespace(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    namespace = worker.resource.namespace
    for claim in read_device_claims(graph, worker.template):
        if claim.template is None or claim.device_classes is not None:
            continue
        for domain in domains_of_template(graph, claim.template):
            if not may_be_one(domain.namespace, namespace):
                yield (
                    f"claims {claim.template} in namespace {namespace}, but its ComputeDomain "
                    f"{domain.object_name} makes that template in namespace {domain.namespace}"
                )


def _domains_of_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    of_worker = [(worker, read_channel_claims(graph, worker).domains) for worker in group.workers]
    claiming = [(worker, domains[0]) for worker, domains in of_worker if domains]
    domains = {domain.urn: (worker, domain) for worker, domain in claiming}
    if len(domains) > 1:
        if not _have_network_devices(group):
            yield f"uses several compute domains: {_listed(domains)}"
        return
    pods = sum(claiming_pods(worker) for worker, _ in claiming)
    if pods > _MOST_NODES:
        counted = " + ".join(f"{claiming_pods(worker)} of {worker.name}" for worker, _ in claiming)
        yield (
            f"{pods} pods ({counted}) of a node each share one compute domain, which has {_MOST_NODES} nodes "
            "at most"
        )


def _have_network_devices(group: Disaggregated) -> bool:
    """Whether the cache need not take NVLink: then a domain for each kind of worker serves its own ranks."""
    return all(rdma_devices(worker) or efa_interfaces(worker) for worker in group.workers)


def _listed(domains: Mapping[str, tuple[Worker, Resource]]) -> str:
    return ", ".join(f"{domain.object_name} by {worker.name}" for worker, domain in domains.values())


@rule(
    _COMPUTE_DOMAINS,
    severity=Severity.ADVISORY,
    reason=(
        "The driver's default (IMEXDaemonsWithDNSNames) lets nodes in as they come; another number only "
        "decides when the domain is called Ready, which then is never, or too early."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu (api/nvidia.com/resource/v1beta1/computedomain.go)",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix="Set numNodes to 0; the spec cannot be changed, so delete and make the domain again.",
)
def compute_domain_node_count(graph: ResourceGraph, domain: Resource) -> Iterator[str]:
    """A compute domain's numNodes is 0, or the number of pods that claim it."""
    pods = _claiming(graph).get(domain.urn)
    nodes = whole_number_at(domain.inputs, "spec", "numNodes")
    if nodes and pods is not None and nodes != pods:
        yield f"has numNodes {nodes}, but {pods} pods of a node each claim its channel"


@memoized
def _claiming(graph: ResourceGraph) -> dict[str, int | None]:
    """Domain -> number of pods that claim its channel; None where the number is not known."""
    pods: dict[str, int | None] = {}
    for worker in readable(read_workers(graph)):
        claims = known(read_channel_claims, graph, worker)
        for domain in () if claims is None else claims.domains:
            before, count = pods.get(domain.urn, 0), known(claiming_pods, worker)
            pods[domain.urn] = None if before is None or count is None else before + count
    return pods


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "On a node that is on no NVLink fabric the DRA driver grants the claim and hands out no channel. The "
        "pod starts, has nothing of it, and takes the node's one claim from others."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu (compute-domain kubelet plugin at 2026-08-07)",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix="Leave the ComputeDomain and its claims out, or select GB200 nodes.",
)
def compute_domain_has_a_fabric(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A compute domain is claimed where NVLink leads from node to node."""
    claims = read_channel_claims(graph, worker).by_pod
    without = nodes_without_fabric(graph, worker) if claims else ()
    if without:
        yield (
            f"claims a compute domain's channel as {', '.join(sorted(claims))}, but can land on "
            f"{', '.join(without)}, whose NVLink ends at the node: the claim succeeds and brings no channel"
        )


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
    """Workers that are bound to one clique fit into one NVLink domain."""
    if not_bound(group.workers, CLIQUE):
        return
    placement = read_placement(graph, group.workers[0])
    node = placement.instance_type
    if not node.nvlink_crosses_nodes:
        return
    gpus = [(worker, _gpus(graph, worker, node)) for worker in group.workers]
    largest, smallest = max(placement.nvlink_domains), min(placement.nvlink_domains)
    total = sum(each for _, each in gpus)
    if total <= smallest:
        return
    counted = " + ".join(f"{each} for {claiming_pods(worker)} pods of {worker.name}" for worker, each in gpus)
    needs = f"binds {total} GPUs ({counted}) to one {CLIQUE}"
    if total <= largest:
        raise Undecided(
            f"{needs}, which an NVLink domain of {largest} has and one of {smallest} has not; nothing says "
            f"which the nodes of {node.name} are in"
        )
    yield f"{needs}, but an NVLink domain of {node.name} has {largest} at most"


def _gpus(graph: ResourceGraph, worker: Worker, node: InstanceType) -> int:
    # A pod with a channel has its node for itself, as far as other claiming pods go.
    alone = bool(read_channel_claims(graph, worker).by_pod)
    return claiming_pods(worker) * (node.gpus if alone else worker.gpus_per_pod)
