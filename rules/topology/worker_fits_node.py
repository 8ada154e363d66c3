"""Whether pods find a node that is large enough."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.nodes.placements import read_candidates
from rules.reading.pods.gpu_pods import GpuPods
from rules.rule import rule
from rules.subjects import GPU_PODS


@rule(
    GPU_PODS,
    severity=Severity.MANDATORY,
    reason="The scheduler gives a pod GPUs of one node only; a larger one stays Pending for ever.",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    lines=EVERY_RELEASE,
    fix="Choose a pool with larger nodes, less parallelism, or a worker that spans nodes (multinode).",
)
def worker_fits_node(graph: ResourceGraph, pods: GpuPods) -> Iterator[str]:
    """A worker fits on a node of its pool."""
    candidates = read_candidates(graph, pods.workers[0])
    # Pods that no pool selects, or that fit in one of several, are no matter of size.
    if not candidates or any(pods.gpus <= candidate.instance_type.gpus for candidate in candidates):
        return
    nodes = ", ".join(
        f"a node of pool {candidate.pool} ({candidate.instance_type.name}) has {candidate.instance_type.gpus}"
        for candidate in candidates
    )
    yield f"asks for {pods.gpus} GPUs in one pod, but {nodes}"
