"""The plan of an EKS cluster, as plain data: what components/ are filled from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Literal

from hardware import LARGEST_PACKET_TO_REGION, is_local_zone
from stacks.plan.placement.pools import Pool
from stacks.plan.versions import EKS_ADDONS
from stacks.settings.cluster import (
    CacheStorageSettings,
    CapacityBlock,
    EfsStorage,
    EksClusterSettings,
    LustreStorage,
    OnDemand,
    OwnNetwork,
    Phase,
    Purchase,
)

_BEHIND_REGION = re.compile(r"(?<=[0-9])(-[a-z]{3}-[0-9])?[a-z]$")
"""What a zone's name has behind its region's: a, or -dfw-2a."""


def region_of(zone: str) -> str:
    """Return the region of a zone, whose name has the form of one: settings refuse any other."""
    return _BEHIND_REGION.sub("", zone)


AmiType = Literal[
    "AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "AL2023_x86_64_NVIDIA", "AL2023_ARM_64_NVIDIA"
]


ADDONS_BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
"""What nodes do not join without."""
EBS_ADDON = "aws-ebs-csi-driver"
LUSTRE_ADDON = "aws-fsx-csi-driver"
STACK_TAG = "dynamo-stack"
"""Tag of everything that a stack makes in the account; its value is the name of the cluster."""


def zone_group(local_zone: str) -> str:
    """Return what an account opts in to before it sees a Local Zone: us-east-1-dfw-2 for us-east-1-dfw-2a."""
    return local_zone[:-1]


@dataclass(frozen=True, slots=True)
class ZoneSubnets:
    """Addresses of one zone's subnets."""

    zone: str
    """Name, such as us-east-1a or us-east-1-dfw-2a."""
    private: str
    """Subnet of the control plane's interfaces, nodes and pods; in a Local Zone of nodes and pods alone."""
    public: str | None
    """Subnet of NAT gateways and public load balancers; None in a Local Zone, which has neither."""


def tags_of(cluster: EksClusterSettings) -> Mapping[str, str]:
    """Return the tags of everything that a stack makes in the account."""
    return {STACK_TAG: cluster.name, **cluster.tags}


@dataclass(frozen=True, slots=True)
class PlannedNodes:
    """The node group of a pool with GPUs."""

    name: str
    """The node group has it: the cluster's name and the pool's."""
    pool: Pool
    zone: str
    purchase: Purchase
    ami_release: str | None
    """Release of the image; None: EKS chooses."""
    root_volume_type: str
    """EBS volume type."""

    @property
    def ami_type(self) -> AmiType:
        """The image with driver, container toolkit and EFA for the type's architecture."""
        arm = self.pool.instance_type.cpu_architecture == "arm64"
        return "AL2023_ARM_64_NVIDIA" if arm else "AL2023_x86_64_NVIDIA"

    @property
    def phase(self) -> Phase:
        """Active unless a Capacity Block waits for its window, or is emptied."""
        return self.purchase.phase if isinstance(self.purchase, CapacityBlock) else "active"

    @property
    def placed_together(self) -> bool:
        """Whether a new placement group brings the nodes close.

        A capacity block places its own, and a reservation stays in the group that it was made in.
        """
        return self.pool.nodes > 1 and isinstance(self.purchase, OnDemand)


@dataclass(frozen=True, slots=True)
class MadeStorage:
    """What a stack makes for the model, or uses, with a cluster of its own."""

    typed: CacheStorageSettings
    size_gib: int
    zone: str | None
    """Of a Lustre: one of the region's own, in which the nodes that mount it are, unless they are in a Local
    Zone. Of an EFS: that of the mount target which all nodes use, because those in a Local Zone have none of
    their own; None: each node that of its zone."""


@dataclass(frozen=True, slots=True)
class EksPlan:
    """What the stack makes in the account: network, cluster, node groups, storage."""

    cluster: EksClusterSettings
    subnets: tuple[ZoneSubnets, ...]
    """Of the VPC that the stack makes; none where it exists."""
    gpu_nodes: tuple[PlannedNodes, ...]
    storage: MadeStorage | None
    """Storage to make; None where the settings name a storage class, or a volume that exists."""

    @property
    def tags(self) -> Mapping[str, str]:
        """Tags of everything in the account."""
        return tags_of(self.cluster)

    @property
    def control_plane(self) -> tuple[str, ...]:
        """Zones of the control plane's interfaces, for ever: EKS accepts subnets in other zones never again.

        A pool may have another zone (aws/containers-roadmap#2330). Those of a VPC that exists are sorted.
        """
        network = self.cluster.network
        zones = network.zones if isinstance(network, OwnNetwork) else sorted(network.subnets)
        return tuple(zone for zone in zones if not is_local_zone(zone))

    @property
    def system_ami_type(self) -> AmiType:
        """The image of the nodes for everything without GPUs."""
        # Graviton families carry a g after their generation: m7g, c8gn, r7gd.
        family = self.cluster.system_nodes.instance_type.partition(".")[0].lstrip(ascii_lowercase)
        return "AL2023_ARM_64_STANDARD" if "g" in family else "AL2023_x86_64_STANDARD"

    @property
    def uses_compute_domains(self) -> bool:
        """Whether some pool's NVLink crosses nodes, so that the DRA driver has something to do."""
        return any(nodes.pool.instance_type.nvlink_crosses_nodes for nodes in self.gpu_nodes)

    @property
    def largest_packet(self) -> int | None:
        """Bytes of the largest packet that pods may send; None: what the CNI itself takes.

        Nodes of a Local Zone reach control plane, DNS, NATS and file systems over the link to the region.
        """
        local = any(is_local_zone(nodes.zone) for nodes in self.gpu_nodes)
        return LARGEST_PACKET_TO_REGION if local else None

    @property
    def node_addons(self) -> tuple[str, ...]:
        """The add-ons that run on nodes, with the driver of the model cache's file system."""
        names = ["coredns", EBS_ADDON]
        typed = self.storage.typed if self.storage else None
        if isinstance(typed, EfsStorage):
            names.append("aws-efs-csi-driver")
        if isinstance(typed, LustreStorage):
            names.append(LUSTRE_ADDON)
        if self.cluster.node_monitoring:
            names.append("eks-node-monitoring-agent")
        return tuple(names)

    @property
    def addon_builds(self) -> Mapping[str, str]:
        """Add-on -> pinned build of all that the cluster has."""
        return {
            name: EKS_ADDONS[self.cluster.version][name] for name in (*ADDONS_BEFORE_NODES, *self.node_addons)
        }

    @property
    def efa_instance_types(self) -> tuple[str, ...]:
        """The types of the pools that have EFA interfaces."""
        types = (nodes.pool.instance_type for nodes in self.gpu_nodes)
        return tuple(dict.fromkeys(each.name for each in types if each.efa_interfaces))
