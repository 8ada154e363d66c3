"""No worker pod asks for more GPUs than a node of its pool has."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.placements import read_placement
from rules.reading.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    placement = read_placement(graph, worker)
    node = placement.instance_type
    if worker.gpus_per_pod <= node.gpus:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"asks for {worker.gpus_per_pod} GPUs in one pod, but a node of pool {placement.pool} "
        f"({node.name}) has {node.gpus}",
    )


RULE = Rule(
    id="worker-fits-node",
    title="A worker fits on a node of its pool",
    severity=Severity.MANDATORY,
    reason="The scheduler gives a pod GPUs of one node only; a larger one stays Pending for ever.",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    fix="Choose a pool with larger nodes, less parallelism, or a worker that spans nodes (multinode).",
    check=_check,
)
