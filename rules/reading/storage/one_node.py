"""Whether everything that mounts a volume is kept on one node."""

from collections.abc import Iterable, Mapping

from resource_graph import ResourceGraph, Value
from rules.reading.nodes.landing import selected_pools
from rules.reading.nodes.node_selection import required_labels
from rules.reading.nodes.placements import read_placement
from rules.reading.storage.model_users import ModelUser

_GPU_LABELS = "nvidia.com/gpu."


def on_one_node(graph: ResourceGraph, users: Iterable[ModelUser]) -> bool:
    """Whether all of them run in one pool, and that has one node.

    Raises:
        Undecided: nothing says which pool one of them runs in, or how many nodes it has.
    """
    found = {_only_pool(graph, user) for user in users}
    if len(found) != 1:
        return False
    (pool,) = found
    return pool is not None and pool[1] == 1


def _only_pool(graph: ResourceGraph, user: ModelUser) -> tuple[str, int | None] | None:
    """Name and nodes of the one pool that it can run in; None where it can also run elsewhere."""
    if user.worker is not None:
        placement = read_placement(graph, user.worker)
        return placement.pool, placement.nodes
    if not _selects_gpu_nodes(user.template.spec):
        return None
    pools = selected_pools(graph, user.template)
    return (pools[0].name, pools[0].nodes) if len(pools) == 1 else None


def _selects_gpu_nodes(spec: Mapping[str, Value]) -> bool:
    labels = required_labels(spec)
    return any(label.key.startswith(_GPU_LABELS) and label.operator in {"In", "Exists"} for label in labels)
