"""The cluster of a stack, which exists or is planned; refuses what AWS would refuse half an hour later."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan, MadeStorage
from stacks.plan.infrastructure.network import network_problems, planned_network
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
    role: str | None = None
    """ARN of the role that commands on such a cluster take; None: the person's own credentials."""

    @property
    def context_made_by(self) -> str | None:
        """Command that adds a made cluster to a kubeconfig; None for a cluster that exists already."""
        if self.region is None:
            return None
        words = ["aws", "eks", "update-kubeconfig", "--name", self.context, "--region", self.region]
        return shlex.join(
            [*words, "--alias", self.context, *(["--role-arn", self.role] if self.role else [])]
        )


def cluster_plan(settings: StackSettings) -> ClusterPlan:
    """Return the cluster as kubectl finds it."""
    cluster = settings.cluster
    if isinstance(cluster, EksClusterSettings):
        return ClusterPlan(cluster.kind, cluster.name, None, None, cluster.region, cluster.assume_role)
    return ClusterPlan(cluster.kind, cluster.context, cluster.kubeconfig, cluster.server)


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
    network = planned_network(cluster, [item.zone for item in nodes])
    return EksPlan(cluster, network, nodes, storage)
