"""No worker pod asks for more GPUs than a node of its pool has."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.placements import read_candidates
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, lambda pods: _check_pods(graph, pods))


def _check_pods(graph: ResourceGraph, pods: GpuPods) -> Iterator[Observation]:
    candidates = read_candidates(graph, pods.workers[0])
    # Pods that no pool selects, or that fit in one of several, are no matter of size.
    if not candidates or any(pods.gpus <= candidate.instance_type.gpus for candidate in candidates):
        return
    nodes = ", ".join(
        f"a node of pool {candidate.pool} ({candidate.instance_type.name}) has {candidate.instance_type.gpus}"
        for candidate in candidates
    )
    yield failed(pods.template.resource, pods.name, f"asks for {pods.gpus} GPUs in one pod, but {nodes}")


RULE = Rule(
    id="worker-fits-node",
    title="A worker fits on a node of its pool",
    severity=Severity.MANDATORY,
    reason="The scheduler gives a pod GPUs of one node only; a larger one stays Pending for ever.",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    lines=EVERY_RELEASE,
    fix="Choose a pool with larger nodes, less parallelism, or a worker that spans nodes (multinode).",
    check=_check,
)
