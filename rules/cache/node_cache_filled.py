"""A directory of the node that a pod reads a model from is filled on each node that the pod can land on."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.landing import selected_pools, untolerated
from rules.reading.nodes.pools import Pool
from rules.reading.shapes import Undecided
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes

_ON_EACH_NODE = "DaemonSet"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, lambda volume: _check_volume(graph, volume))


def _check_volume(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    if volume.node_path is None:
        return
    readers = volume.of_kind("worker", "frontend")
    if not readers:
        return
    fillers = volume.of_kind("download")
    own = {user.template for user in fillers}
    if not fillers:
        raise Undecided(f"nothing that was read fills {volume.node_path} of each node")
    everywhere = [user for user in fillers if user.resource.kind == _ON_EACH_NODE]
    filled = {pool.name for user in everywhere for pool in _reached(graph, user)}
    for reader in readers:
        if reader.template in own:
            continue
        missing = [pool for pool in selected_pools(graph, reader.template) if pool.name not in filled]
        if everywhere and missing:
            names = ", ".join(user.name for user in everywhere)
            pools = ", ".join(pool.name for pool in missing)
            found = f"can land on nodes of pool {pools}, where {names} does not bring it"
        elif not everywhere and not _has_one_node(missing):
            names = ", ".join(f"{user.resource.kind} {user.name}" for user in fillers)
            found = f"is on whichever node it lands, and {names} fills the directory of one"
        else:
            continue
        yield failed(
            reader.resource, reader.name, f"reads its model from {volume.node_path} of its node, {found}"
        )


def _reached(graph: ResourceGraph, user: ModelUser) -> Sequence[Pool]:
    pools = selected_pools(graph, user.template)
    return [pool for pool in pools if pool.taints is None or not untolerated(user.template.spec, pool)]


def _has_one_node(pools: Sequence[Pool]) -> bool:
    return len(pools) == 1 and pools[0].nodes == 1


RULE = Rule(
    id="node-cache-filled",
    title="A node's own directory with the model is filled on every node that reads it",
    severity=Severity.MANDATORY,
    reason=(
        "Each node has a directory of its own, and a node that replaces a lost one has an empty one: an "
        "engine that may not ask the hub ends there at start, and every time that it is started again."
    ),
    source="https://kubernetes.io/docs/concepts/storage/volumes/#hostpath; ai-dynamo 1.2.1 run offline",
    lines=EVERY_RELEASE,
    fix="Fill it by a DaemonSet that selects the same nodes and tolerates their taints, or share files.",
    check=_check,
)
