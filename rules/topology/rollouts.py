"""Whether a rolling update that keeps all old pods finds GPUs for a new one."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.gpu_pods import (
    GpuPods,
    Occupied,
    can_be_packed,
    claims_channel,
    home,
    read_claiming,
    read_occupancy,
)
from rules.reading.pods.operator_defaults import read_rollout
from rules.reading.shapes import Undecided
from rules.rule import Advice, Said, rule
from rules.subjects import GPU_PODS


@rule(
    GPU_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "With no pod unavailable a rolling update starts a new pod and waits until it is ready. Where the "
        "pool has no room for it the pod stays Pending, the old pods stay, and the update never ends. Where "
        "no annotation says how many may be unavailable the operator takes 25 %, none of up to three "
        "replicas; other pages name one pod (advice)."
    ),
    source=(
        "ai-dynamo/dynamo#4990 (the annotations); "
        "https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment"
    ),
    lines=("Dynamo 0.8 to 1.4",),
    fix=(
        "Let an old pod go first: nvidia.com/deployment-strategy Recreate, or "
        "nvidia.com/deployment-rolling-update-max-unavailable 1 with max-surge 0 (a Deployment: "
        "spec.strategy); or keep a worker's GPUs free."
    ),
)
def rollout_can_proceed(graph: ResourceGraph, pods: GpuPods) -> Iterator[Said]:
    """Rolling update finds no room for its first new pod."""
    rollout = read_rollout(pods.template)
    if rollout is None or rollout.unavailable or not pods.pods:
        return
    placement = home(graph, pods)
    if placement is None or pods.gpus > placement.instance_type.gpus:
        return
    occupied = read_occupancy(graph).pools[placement.name]
    reason = _no_gpus(occupied, pods) or _no_channel(graph, occupied, pods)
    if reason is not None:
        said = (
            f"its rollout starts {rollout.surge} pod{'s' if rollout.surge > 1 else ''} before an old one may "
            f"go (max-unavailable 0, {rollout.source}), {reason}"
        )
        yield said if rollout.is_explicit else Advice(said)


def _no_gpus(occupied: Occupied, pods: GpuPods) -> str | None:
    placement, sizes = occupied.placement, dict(occupied.sizes)
    node, nodes = placement.instance_type, placement.nodes
    if can_be_packed(sizes, nodes=nodes, gpus=node.gpus) is not True:
        # Another rule reports pods that do not even fit at rest.
        return None
    free = placement.nodes * node.gpus - sum(size * count for size, count in sizes.items())
    sizes[pods.gpus] = sizes.get(pods.gpus, 0) + 1
    packed = can_be_packed(sizes, nodes=nodes, gpus=node.gpus)
    reason = f"which needs {pods.gpus} free GPUs on one node; {placement} has {free} free in all"
    if packed is None:
        raise Undecided(reason)
    return None if packed else reason


def _no_channel(graph: ResourceGraph, occupied: Occupied, pods: GpuPods) -> str | None:
    if not claims_channel(graph, pods):
        return None
    nodes = occupied.placement.nodes
    # Another rule reports more claiming pods than nodes.
    if sum(each.pods for each in read_claiming(graph)[occupied.placement.name]) != nodes:
        return None
    return (
        "which needs a node whose compute-domain channel is free; all "
        f"{nodes} of {occupied.placement} are claimed"
    )
