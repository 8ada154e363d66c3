"""The cluster of a stack, which exists or is planned; refuses what AWS would refuse half an hour later."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from components.storage_kinds import MadeStorage
from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.infrastructure.network import network_problems, planned_network
from stacks.plan.infrastructure.nodes import planned_nodes, pool_problems
from stacks.plan.placement.pools import Pool
from stacks.settings.cluster import EksClusterSettings
from stacks.settings.stack import StackSettings


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """The cluster that the stack is deployed to."""

    kind: Literal["existing", "eks"]
    context: str
    """The kubeconfig context, always named: the current context of a shell decides nothing. An EKS
    cluster and the context in the kubeconfig that the program makes have one name."""
    kubeconfig: str | None
    """Path of the kubeconfig; None: the KUBECONFIG environment variable."""
    server: str | None
    """Address that the context must lead to; None: not checked."""
    region: str | None = None
    """AWS region of a cluster that a stack of this project makes."""


def cluster_plan(settings: StackSettings) -> ClusterPlan:
    """Return the cluster as kubectl finds it."""
    cluster = settings.cluster
    if isinstance(cluster, EksClusterSettings):
        return ClusterPlan(cluster.kind, cluster.name, None, None, cluster.region)
    return ClusterPlan(cluster.kind, cluster.context, cluster.kubeconfig, cluster.server)


def cluster_problems(settings: StackSettings, pools: Mapping[str, Pool]) -> Iterator[Problem]:
    """Yield why the cluster could not be made; where one exists, the settings that only a made one has."""
    cluster = settings.cluster
    if not isinstance(cluster, EksClusterSettings):
        message = "belongs to a cluster that the stack makes, and this one exists"
        for index, pool in enumerate(settings.node_pools):
            for name, value in (("zone", pool.zone), ("purchase", pool.purchase)):
                if value is not None:
                    key, shown = f"nodePools[{index}].{name}", getattr(value, "kind", value)
                    yield Problem(key, shown, message, suggestion="leave it out")
        return
    yield from network_problems(cluster, settings)
    yield from pool_problems(cluster, settings.node_pools, pools)


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
    network = planned_network(cluster, [item.zone for item in nodes])
    return EksPlan(cluster, network, nodes, storage)
