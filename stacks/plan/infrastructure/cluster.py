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

_OTHER_PARTITIONS = ("cn-", "us-gov-", "us-iso", "eu-iso")
"""How names of regions in aws-cn, aws-us-gov and the isolated partitions begin
(https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html)."""
_RESERVED_TAGS = "kubernetes.io"
"""kubernetes-sigs/aws-ebs-csi-driver pkg/driver/validation.go: it ends at its start."""


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
    """Yield why the cluster could not be made; where one exists, the settings that only a made one has."""
    cluster = settings.cluster
    if not isinstance(cluster, EksClusterSettings):
        message = "belongs to a cluster that the stack makes, and this one exists"
        for index, pool in enumerate(settings.node_pools):
            made = (
                ("zone", pool.zone),
                ("purchase", pool.purchase),
                ("amiRelease", pool.ami_release),
                ("rootVolumeType", pool.root_volume_type),
            )
            for name, value in made:
                if value is not None:
                    key, shown = f"nodePools[{index}].{name}", getattr(value, "kind", value)
                    yield Problem(key, shown, message, suggestion="leave it out")
        return
    if cluster.region.startswith(_OTHER_PARTITIONS):
        message = (
            "is a region of another partition of AWS: every ARN that a stack writes begins with arn:aws:"
        )
        yield Problem("cluster.region", cluster.region, message, allowed="a commercial region")
    for name in cluster.tags:
        if name.startswith(_RESERVED_TAGS):
            message = f"the EBS driver takes no tag whose key begins with {_RESERVED_TAGS}"
            yield Problem("cluster.tags", name, message, suggestion="a prefix of your own, or none")
    if cluster.assume_role is not None and f":{cluster.account_id}:role/" not in cluster.assume_role:
        message = "is no IAM role of cluster.accountId, outside of which nothing happens"
        allowed = f"arn:aws:iam::{cluster.account_id}:role/…"
        yield Problem("cluster.assumeRole", cluster.assume_role, message, allowed=allowed)
    yield from _rdma_problems(settings)
    yield from _access_problems(cluster)
    yield from _boundary_problems(cluster)
    yield from network_problems(cluster, settings)
    yield from pool_problems(cluster, settings.node_pools, pools)


def _rdma_problems(settings: StackSettings) -> Iterator[Problem]:
    for index, pool in enumerate(settings.node_pools):
        if pool.rdma is not None:
            message = "EC2 has no RDMA devices of InfiniBand or RoCE: EFA is its way between nodes"
            key, hint = f"nodePools[{index}].rdma", "leave it out; serving.kvTransport: efa"
            yield Problem(key, pool.rdma.resource, message, suggestion=hint)


def _access_problems(cluster: EksClusterSettings) -> Iterator[Problem]:
    given: set[tuple[str, str]] = set()
    for index, each in enumerate(cluster.access):
        if each.arn in cluster.administrators:
            message = "is one of cluster.administrators; EKS gives a principal one entry"
            yield Problem(
                f"cluster.access[{index}].arn", each.arn, message, suggestion="leave out one of them"
            )
        if (each.arn, each.policy) in given:
            message = f"has {each.policy} by an item before; EKS would keep one of them"
            yield Problem(
                f"cluster.access[{index}].arn", each.arn, message, suggestion="join their namespaces"
            )
        given.add((each.arn, each.policy))


def _boundary_problems(cluster: EksClusterSettings) -> Iterator[Problem]:
    arn = cluster.roles.permissions_boundary
    owner = arn.split(":")[4] if arn else "aws"
    if owner not in {"aws", cluster.account_id}:
        message = f"is a policy of another account than {cluster.account_id}, which IAM takes for no role"
        yield Problem("cluster.roles.permissionsBoundary", arn, message)


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
