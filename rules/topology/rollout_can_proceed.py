"""A rolling update finds free GPUs for its first new pod."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods
from rules.reading.pods.rollout_room import why_stuck


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, lambda pods: _check_pods(graph, pods))


def _check_pods(graph: ResourceGraph, pods: GpuPods) -> Iterator[Observation]:
    reason = why_stuck(graph, pods, is_typed=True)
    if reason is not None:
        yield failed(pods.template.resource, pods.name, reason)


RULE = Rule(
    id="rollout-can-proceed",
    title="A rolling update finds free GPUs for its first new pod",
    severity=Severity.MANDATORY,
    reason=(
        "With no pod unavailable a rolling update starts a new pod and waits until it is ready. Where the "
        "pool has no room for it the pod stays Pending, the old pods stay, and the update never ends."
    ),
    source=(
        "ai-dynamo/dynamo#4990 (the annotations); "
        "https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment"
    ),
    lines=("Dynamo 0.8 to 1.4",),
    fix=(
        "Let an old pod go first: nvidia.com/deployment-strategy Recreate, or max-unavailable 1 with "
        "max-surge 0 (a Deployment: spec.strategy); or keep a worker's GPUs free."
    ),
    check=_check,
)
