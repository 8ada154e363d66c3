"""Whether a rolling update that keeps all old pods finds GPUs for a new one."""

import contextlib
from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.devices import read_channel_claims
from rules.reading.gpu_pods import GpuPods, Occupied, can_be_packed, home, read_occupancy
from rules.reading.memoized import memoized
from rules.reading.pods.operator_defaults import read_rollout
from rules.reading.shapes import Undecided
from rules.rule import rule
from rules.subjects import GPU_PODS


@rule(
    GPU_PODS,
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
)
def rollout_can_proceed(graph: ResourceGraph, pods: GpuPods) -> Iterator[str]:
    """A rolling update finds free GPUs for its first new pod."""
    return _why_stuck(graph, pods, is_explicit=True)


@rule(
    GPU_PODS,
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
)
def rollout_default_can_proceed(graph: ResourceGraph, pods: GpuPods) -> Iterator[str]:
    """The default rolling update finds free GPUs for its first new pod."""
    return _why_stuck(graph, pods, is_explicit=False)


def _why_stuck(graph: ResourceGraph, pods: GpuPods, *, is_explicit: bool) -> Iterator[str]:
    """What keeps the pods' rolling update from ever taking its first step.

    Args:
        graph: resources that take all other GPUs.
        pods: those that the update replaces.
        is_explicit: only rollouts that say how many pods may be unavailable, or only those that do not.
    """
    rollout = read_rollout(pods.template)
    if rollout is None or rollout.unavailable or rollout.is_explicit is not is_explicit or not pods.pods:
        return
    placement = home(graph, pods)
    if placement is None or pods.gpus > placement.instance_type.gpus:
        return
    occupied = read_occupancy(graph).pools[placement.name]
    reason = _no_gpus(occupied, pods) or _no_channel(graph, occupied, pods)
    if reason is not None:
        yield (
            f"its rollout starts {rollout.surge} pod{'s' if rollout.surge > 1 else ''} before an old one may "
            f"go (max-unavailable 0, {rollout.source}), {reason}"
        )


def _no_gpus(occupied: Occupied, pods: GpuPods) -> str | None:
    placement, sizes = occupied.placement, dict(occupied.sizes)
    node, nodes = placement.instance_type, placement.nodes
    if can_be_packed(sizes, nodes=nodes, gpus=node.gpus) is not True:
        # Another rule reports pods that do not even fit at rest.
        return None
    free = placement.nodes * node.gpus - sum(size * count for size, count in sizes.items())
    sizes[pods.gpus] = sizes.get(pods.gpus, 0) + 1
    packed = can_be_packed(sizes, nodes=nodes, gpus=node.gpus)
    if packed:
        return None
    reason = f"which needs {pods.gpus} free GPUs on one node; {placement} has {free} free in all"
    if packed is None:
        raise Undecided(reason)
    return reason


def _no_channel(graph: ResourceGraph, occupied: Occupied, pods: GpuPods) -> str | None:
    if not read_channel_claims(graph, pods.workers[0]).by_pod:
        return None
    claiming = _claiming_pods(graph).get(occupied.placement.name, 0)
    nodes = occupied.placement.nodes
    # Another rule reports more claiming pods than nodes.
    if claiming != nodes:
        return None
    return (
        "which needs a node whose compute-domain channel is free; all "
        f"{nodes} of {occupied.placement} are claimed"
    )


@memoized
def _claiming_pods(graph: ResourceGraph) -> Mapping[str, int]:
    """Pool -> pods in the pool that claim a channel, where the number is known."""
    claiming: dict[str, int] = {}
    for pool, occupied in read_occupancy(graph).pools.items():
        for pods in occupied.pods:
            with contextlib.suppress(Undecided):
                if read_channel_claims(graph, pods.workers[0]).by_pod:
                    claiming[pool] = claiming.get(pool, 0) + pods.pods
    return claiming
