"""Workers that are bound to one clique fit into one NVLink domain."""

from collections.abc import Iterator, Sequence

from hardware import InstanceType
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.kv_transport.disaggregation import Disaggregated, read_disaggregated
from rules.reading.nodes.channel_claims import claiming_pods, read_channel_claims
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.pods_together import CLIQUE, not_bound
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for group in read_disaggregated(graph):
        try:
            if not not_bound(group.workers, CLIQUE):
                yield from _check_group(graph, group)
        except Undecided as reason:
            yield undecided(group.resource, group.name, str(reason))


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    placement = read_placement(graph, group.workers[0])
    node = placement.instance_type
    if not node.nvlink_crosses_nodes:
        return
    gpus = sum(_gpus(graph, worker, node) for worker in group.workers)
    largest, smallest = max(placement.nvlink_domains), min(placement.nvlink_domains)
    if gpus <= smallest:
        return
    counted = _counted(graph, group.workers, node)
    needs = f"binds {gpus} GPUs ({counted}) to one {CLIQUE}"
    if gpus <= largest:
        raise Undecided(
            f"{needs}, which an NVLink domain of {largest} has and one of {smallest} has not; nothing says "
            f"which the nodes of {node.name} are in"
        )
    yield failed(
        group.resource, group.name, f"{needs}, but an NVLink domain of {node.name} has {largest} at most"
    )


def _gpus(graph: ResourceGraph, worker: Worker, node: InstanceType) -> int:
    # A pod with a channel has its node for itself, as far as other claiming pods go.
    alone = bool(read_channel_claims(graph, worker).by_pod)
    return claiming_pods(worker) * (node.gpus if alone else worker.gpus_per_pod)


def _counted(graph: ResourceGraph, workers: Sequence[Worker], node: InstanceType) -> str:
    return " + ".join(
        f"{_gpus(graph, worker, node)} for {claiming_pods(worker)} pods of {worker.name}"
        for worker in workers
    )


RULE = Rule(
    id="nvlink-domain-holds-the-pods",
    title="Workers that are bound to one clique fit into one NVLink domain",
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
    check=_check,
)
