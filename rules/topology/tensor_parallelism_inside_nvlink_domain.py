"""Tensor-parallel ranks of one worker share an NVLink domain."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.engines.parallelism import read_parallelism
from rules.reading.nodes.placements import Placement, read_candidates
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if worker.pods_per_worker == 1 or not worker.gpus_per_pod:
        return
    tensor = read_parallelism(graph, worker)[0].count
    # Ranks are numbered by node: tensor parallelism up to a pod's GPUs stays inside it.
    if tensor.value <= worker.gpus_per_pod:
        return
    for placement in read_candidates(graph, worker):
        if tensor.value <= _domain(placement):
            continue
        node = placement.instance_type
        ends = "its racks" if node.nvlink_crosses_nodes else "the node"
        yield failed(
            worker.resource,
            worker.name,
            f"tensor parallelism {tensor.value} ({tensor.source}) spans {worker.pods_per_worker} pods of "
            f"{worker.gpus_per_pod} GPUs, but in pool {placement.pool} ({node.name}) NVLink ends at {ends} "
            f"with {_domain(placement)} GPUs",
        )


def _domain(placement: Placement) -> int:
    return max(placement.nvlink_domains)


RULE = Rule(
    id="tensor-parallelism-inside-nvlink-domain",
    title="Tensor-parallel ranks of one worker share an NVLink domain",
    severity=Severity.ADVISORY,
    reason=(
        "Tensor parallelism exchanges activations twice in every layer. Across the network instead of NVLink "
        "each token waits for it, and more GPUs make the worker slower."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html (NVLink domains of "
        "the instance types)"
    ),
    lines=EVERY_RELEASE,
    fix="Use at most the domain's GPUs for a worker, and more replicas in place of more ranks.",
    check=_check,
)
