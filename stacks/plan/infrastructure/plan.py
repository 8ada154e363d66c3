"""The plan of an EKS cluster, as plain data: what components/ are filled from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from components.purchase import OnDemand, Purchase
from components.storage_kinds import MadeStorage
from hardware import InstanceType
from stacks.plan.infrastructure.addresses import SubnetAddresses
from stacks.plan.infrastructure.zones import Zone

AmiType = Literal[
    "AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "AL2023_x86_64_NVIDIA", "AL2023_ARM_64_NVIDIA"
]


@dataclass(frozen=True, slots=True)
class PlannedNetwork:
    """A VPC of the stack's own."""

    cidr: str
    subnets: tuple[SubnetAddresses, ...]
    local: tuple[Zone, ...]
    nat_per_zone: bool
    control_plane: tuple[str, ...]
    """Zones of the control plane's interfaces, for ever: EKS accepts subnets in other zones never again
    (aws/containers-roadmap#2330). A pool may have another zone."""


@dataclass(frozen=True, slots=True)
class AdoptedNetwork:
    """A VPC that exists."""

    vpc_id: str
    subnets: Mapping[str, str]
    """Zone -> private subnet."""
    control_plane: tuple[str, ...]
    """As of a VPC of the stack's own: all that are the region's, in their order."""


@dataclass(frozen=True, slots=True)
class PlannedNodes:
    """A node group with GPUs."""

    name: str
    """Of the node group: the cluster's name and the pool's."""
    pool: str
    instance_type: InstanceType
    ami_type: AmiType
    nodes: int
    zone: Zone
    purchase: Purchase
    nvlink_domain_gpus: int
    """Of the UltraServer that they are trays of; of one node where the type's NVLink ends there."""
    labels: Mapping[str, str]
    tainted: bool

    @property
    def placed_together(self) -> bool:
        """Whether a new placement group brings the nodes close.

        A capacity block places its own, and a reservation stays in the group that it was made in.
        """
        return self.nodes > 1 and isinstance(self.purchase, OnDemand)


@dataclass(frozen=True, slots=True)
class PlannedSystemNodes:
    """The node group for everything without GPUs."""

    name: str
    instance_type: str
    ami_type: AmiType
    nodes: int


@dataclass(frozen=True, slots=True)
class EksPlan:
    """Everything below Kubernetes."""

    name: str
    account_id: str
    region: str
    version: str
    network: PlannedNetwork | AdoptedNetwork
    public_cidrs: tuple[str, ...]
    administrators: tuple[str, ...]
    system_nodes: PlannedSystemNodes
    gpu_nodes: tuple[PlannedNodes, ...]
    storage: MadeStorage | None
    """None where the settings name a storage class, or a volume that exists."""
    monitoring: bool
    session_manager: bool
    """Whether AWS Systems Manager may open a shell on nodes."""
    node_monitoring: bool
    node_repair: bool
    tags: Mapping[str, str]

    @property
    def uses_compute_domains(self) -> bool:
        """Whether some pool's NVLink crosses nodes, so that the DRA driver has something to do."""
        return any(nodes.instance_type.nvlink_crosses_nodes for nodes in self.gpu_nodes)

    @property
    def efa_instance_types(self) -> tuple[str, ...]:
        """The types of the pools that have EFA interfaces."""
        types = (nodes.instance_type for nodes in self.gpu_nodes)
        return tuple(dict.fromkeys(each.name for each in types if each.efa_interfaces))
