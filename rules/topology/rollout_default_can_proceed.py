"""The operator's default rolling update finds free GPUs for its first new pod."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods
from rules.reading.pods.rollout_room import why_stuck


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, lambda pods: _check_pods(graph, pods))


def _check_pods(graph: ResourceGraph, pods: GpuPods) -> Iterator[Observation]:
    reason = why_stuck(graph, pods, is_typed=False)
    if reason is not None:
        yield failed(pods.template.resource, pods.name, reason)


RULE = Rule(
    id="rollout-default-can-proceed",
    title="The default rolling update finds free GPUs for its first new pod",
    severity=Severity.ADVISORY,
    reason=(
        "Where no annotation says how many pods may be unavailable the operator takes 25 %, which is none of "
        "up to three replicas: the update waits for a new pod that has no GPUs. (Other pages name one pod.)"
    ),
    source="ai-dynamo/dynamo#4990; the documentation's annotation pages name other defaults",
    lines=("Dynamo 0.8 to 1.4",),
    fix=(
        "Say how: nvidia.com/deployment-strategy Recreate, or "
        "nvidia.com/deployment-rolling-update-max-unavailable 1 with max-surge 0."
    ),
    check=_check,
)
