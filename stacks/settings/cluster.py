"""Settings of the cluster: one that exists, or an EKS cluster of the stack's own; how nodes are paid for."""

import shlex
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import (
    AccountId,
    AmiRelease,
    Arn,
    BoundaryArn,
    Cidr,
    ClusterName,
    Count,
    LabelKey,
    LabelValue,
    Name,
    Region,
    ReservationId,
    RolePath,
    ServerAddress,
    SubnetId,
    Text,
    UtcTime,
    VpcId,
    ZoneName,
)


class ExistingClusterSettings(StrictModel):
    """Which cluster, and how to be sure that it is the one that was meant."""

    kind: Literal["existing"]
    context: Text
    """Context of the kubeconfig; a shell's current one decides nothing."""
    kubeconfig: Text | None = None
    """Path of the kubeconfig file, `~` allowed; None: the KUBECONFIG environment variable."""
    server: ServerAddress | None = None
    """API server that the context must lead to; `up` ends before it creates anything where it leads
    elsewhere."""
    context_made_by: ClassVar[None] = None


class OwnNetwork(StrictModel):
    """A VPC that this stack makes."""

    kind: Literal["own"]
    cidr: Cidr = "10.0.0.0/16"
    """Addresses of the VPC; /16 to /20."""
    zones: Annotated[tuple[ZoneName, ...], Field(min_length=2, max_length=4)]
    """Availability zones of the control plane, which stays in them; a pool may have another."""
    nat_per_zone: bool = False
    """A NAT gateway in each zone, so that one zone's failure leaves the others online."""


class AdoptedNetworkSettings(StrictModel):
    """A VPC that exists."""

    kind: Literal["existing"]
    vpc_id: VpcId
    """DNS names and DNS resolution must be on: file systems are mounted by name."""
    subnets: Annotated[Mapping[ZoneName, SubnetId], Field(min_length=2)]
    """Private subnets with a way out, of two zones of the region and that of each pool. The control plane
    stays in those of the region that are here when the stack is created."""


NetworkSettings = Annotated[OwnNetwork | AdoptedNetworkSettings, Field(discriminator="kind")]


class SystemNodeSettings(StrictModel):
    """Nodes for the operators, etcd, NATS and the frontend."""

    instance_type: Text = "m7g.2xlarge"
    """Without GPUs; of either architecture."""
    nodes: Count = 3
    """Three keep a majority of NATS and etcd when one goes."""
    ami_release: AmiRelease | None = None
    """Another one exchanges the nodes one by one. None: EKS' newest when it makes or upgrades the group."""


AccessPolicy = Literal["view", "adminView", "edit", "admin"]


class AccessSettings(StrictModel):
    """A role or user that enters the cluster without administering it."""

    arn: Arn
    """The IAM role or user. Several items may name it, each with another policy."""
    policy: AccessPolicy
    """Kubernetes' roles of these names; adminView reads everything, Secrets too, which a preview needs in the
    whole cluster (docs/workflows.md)."""
    namespaces: tuple[Name, ...] = ()
    """Where it holds; empty: in the whole cluster."""


NO_PATH = "/"
"""Path of a role that has none."""


class RoleSettings(StrictModel):
    """What an organization asks of the IAM roles that this stack makes."""

    path: RolePath = NO_PATH
    """Path of every role. Fixed when the stack is created: IAM moves no role."""
    permissions_boundary: BoundaryArn | None = None
    """Policy that limits every role; it has to leave them what their own policies give."""


class EksClusterSettings(StrictModel):
    """An EKS cluster that this stack makes, with its network and nodes."""

    kind: Literal["eks"]
    name: ClusterName
    """Names of what belongs to the cluster begin with it."""
    account_id: AccountId
    """The account that is meant: with credentials of another one nothing happens."""
    region: Region
    """Of the control plane; a Local Zone belongs to a region."""
    assume_role: Arn | None = None
    """IAM role as which everything is done, for credentials that may only assume it; None: the credentials
    themselves."""
    version: Literal["1.34", "1.35", "1.36"] = "1.35"
    """Of Kubernetes, in quotes. Compute domains need 1.34."""
    network: NetworkSettings
    """A VPC that this stack makes, or one that exists."""
    public_cidrs: tuple[Cidr, ...] = ()
    """Who reaches the API server from outside the VPC; empty: nobody."""
    administrators: tuple[Arn, ...] = ()
    """IAM roles and users that administer the cluster, beside its creator, who may be listed too."""
    access: tuple[AccessSettings, ...] = ()
    """IAM roles and users that may do less, such as the one that previews."""
    roles: RoleSettings = RoleSettings()
    system_nodes: SystemNodeSettings = SystemNodeSettings()
    monitoring: bool = False
    """Install Prometheus and Grafana, and let them read Dynamo's metrics."""
    session_manager: bool = True
    """Let AWS Systems Manager open a shell on nodes, for whom IAM permits it; there is no SSH."""
    node_monitoring: bool = False
    """Install EKS' node monitoring agent, which reports faults as conditions of nodes; a privileged pod on
    each."""
    node_repair: bool = False
    """Let EKS restart or replace nodes that stay unhealthy. Faults of GPUs reach it by nodeMonitoring."""
    tags: Mapping[LabelKey, LabelValue] = Field(default_factory=dict[str, str])
    """Tags on everything that the stack makes in the account, and on volumes that claims make there."""
    tag_nodes: bool = False
    """Put them on nodes too, with their disks and network interfaces. Typing it exchanges the nodes."""
    kubeconfig: ClassVar[None] = None
    server: ClassVar[None] = None

    @property
    def context(self) -> str:
        """The context in the kubeconfig that the program makes."""
        return self.name

    @property
    def context_made_by(self) -> str:
        """Command that adds the cluster to a person's kubeconfig."""
        words = ["aws", "eks", "update-kubeconfig", "--name", self.name, "--region", self.region]
        role = ["--role-arn", self.assume_role] if self.assume_role else []
        return shlex.join([*words, "--alias", self.name, *role])


ClusterSettings = Annotated[ExistingClusterSettings | EksClusterSettings, Field(discriminator="kind")]


class LustreStorage(StrictModel):
    """FSx for Lustre: fast, several nodes, one zone."""

    kind: Literal["fsxLustre"]
    throughput: Literal[125, 250, 500, 1000] = 250
    """MB/s for each TiB."""
    zone: ZoneName | None = None
    """Where it is, in the region; None: the zone of the first pool, and for a Local Zone the network's first.
    Fixed when the stack is created."""


class EfsStorage(StrictModel):
    """EFS: several nodes, every zone of the region, slower to load from."""

    kind: Literal["efs"]


class EbsStorage(StrictModel):
    """A disk of EBS: one node mounts it, so all workers are in one pool of one node, with the frontends."""

    kind: Literal["ebs"]
    throughput: Literal[125, 250, 500, 1000] = 1000
    """MiB/s of the disk, a gp3."""


class InstanceStoreStorage(StrictModel):
    """The NVMe disks of the GPU nodes: the fastest, a copy on each node, and gone with it."""

    kind: Literal["instanceStore"]


CacheStorageSettings = Annotated[
    LustreStorage | EfsStorage | EbsStorage | InstanceStoreStorage, Field(discriminator="kind")
]


Phase = Literal["waiting", "active", "empty"]


class OnDemand(StrictModel):
    """Paid by the hour, when there is room."""

    kind: Literal["onDemand"]


class Spot(StrictModel):
    """Paid by the hour, taken away with two minutes' notice."""

    kind: Literal["spot"]


class Reservation(StrictModel):
    """An On-Demand Capacity Reservation that was made before."""

    kind: Literal["reservation"]
    id: ReservationId
    """Its zone is the pool's."""
    placement_group: Text | None = None
    """Cluster placement group in which it was made, and its nodes are launched; None: outside one."""


class CapacityBlock(StrictModel):
    """GPUs that were bought for a window of time. Nothing here buys one."""

    kind: Literal["capacityBlock"]
    id: ReservationId
    """As the purchase printed it."""
    starts: UtcTime
    """When its window opens: at that time a pool that waits is filled."""
    ends: UtcTime | None = None
    """When it ends, as the purchase printed it: `cluster.monitoring` tells 24 and 2 hours before."""
    phase: Phase
    """waiting before the window, active in it, empty to end the nodes before they change; `dynamo-stack
    preflight` says which is due (docs/capacity-blocks.md)."""


Purchase = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock,
    Field(discriminator="kind"),
]


def reservation_id(purchase: Purchase) -> str | None:
    """Return the capacity reservation from which nodes are launched; None where they are launched without."""
    return purchase.id if isinstance(purchase, Reservation | CapacityBlock) else None
