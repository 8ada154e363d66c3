"""The cluster that a stack makes; refuses what AWS would refuse half an hour later."""

from collections.abc import Iterator, Mapping

from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan, MadeStorage
from stacks.plan.infrastructure.network import network_problems, planned_subnets
from stacks.plan.infrastructure.nodes import planned_nodes, pool_problems
from stacks.plan.placement.pools import Pool
from stacks.settings.cluster import EksClusterSettings
from stacks.settings.stack import StackSettings

_OF_MADE_NODES = {
    "zone": "leave it out",
    "purchase": "leave it out",
    "amiRelease": "leave it out",
    "rootVolumeType": "leave it out",
}
"""Setting of a pool whose nodes the stack makes -> what to do where they exist."""
_OF_EXISTING_NODES = {
    "node": "instanceType",
    # EC2 has neither InfiniBand nor RoCE.
    "rdma": "leave it out; serving.kvTransport: efa",
}
"""Setting of a pool whose nodes exist -> what to do where the stack makes them."""


def cluster_problems(settings: StackSettings, pools: Mapping[str, Pool]) -> Iterator[Problem]:
    """Yield why the cluster could not be made, and the settings of pools that only the other kind has."""
    cluster = settings.cluster
    if isinstance(cluster, EksClusterSettings):
        message = "describes nodes that exist, and the stack makes those of its own cluster"
        yield from _misplaced(settings, _OF_EXISTING_NODES, message)
        yield from network_problems(cluster, settings)
        yield from pool_problems(cluster, settings.node_pools, pools)
    else:
        message = "belongs to a cluster that the stack makes, and this one exists"
        yield from _misplaced(settings, _OF_MADE_NODES, message)


def _misplaced(settings: StackSettings, wrong: Mapping[str, str], message: str) -> Iterator[Problem]:
    for index, pool in enumerate(settings.node_pools):
        typed = pool.model_dump(by_alias=True, exclude_none=True)
        for name, instead in wrong.items():
            if name in typed:
                yield Problem(f"nodePools[{index}].{name}", None, message, suggestion=instead)


def eks_plan(
    settings: StackSettings, pools: Mapping[str, Pool], storage: MadeStorage | None
) -> EksPlan | None:
    """Return the cluster that the file describes, None where it exists; there are no `cluster_problems`.

    Args:
        settings: of the stack.
        pools: the known pools by name.
        storage: of the model cache, where it is made with the cluster.

    """
    cluster = settings.cluster
    if not isinstance(cluster, EksClusterSettings):
        return None
    nodes = planned_nodes(cluster, settings.node_pools, pools)
    subnets = planned_subnets(cluster, [item.zone for item in nodes])
    return EksPlan(cluster, subnets, nodes, storage)
