"""The network of a cluster that the stack makes: the stack's own, or an adopted one."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.network import Network
from stacks.plan.infrastructure import eks_plan as planned
from stacks.plan.infrastructure.eks_plan import zone_named

LOG_DAYS = 90
"""How long flow logs and the control plane's are kept."""


@dataclass(frozen=True, slots=True)
class Place:
    """A VPC and its private subnets, made or adopted."""

    vpc_id: pulumi.Input[str]
    subnets: Mapping[str, pulumi.Input[str]]
    """Zone, of the region or local -> private subnet."""
    control_plane: tuple[str, ...]
    """Zones of the region."""

    @property
    def of_control_plane(self) -> list[pulumi.Input[str]]:
        """The subnets whose zones stay as they are; EKS replaces a node group for another one, too."""
        return [self.subnets[zone] for zone in self.control_plane]

    @property
    def regional(self) -> dict[str, pulumi.Input[str]]:
        """Zone of the region -> private subnet."""
        return {zone: subnet for zone, subnet in self.subnets.items() if not zone_named(zone).is_local}


def deploy_network(plan: planned.EksPlan, opts: pulumi.ResourceOptions, *, keep: bool) -> Place:
    """Register the network, or nothing of one that exists."""
    network = plan.network
    if isinstance(network, planned.AdoptedNetwork):
        return Place(network.typed.vpc_id, network.typed.subnets, network.control_plane)
    made = Network(
        "network",
        plan.cluster,
        network.typed,
        subnets=network.subnets,
        control_plane=network.control_plane,
        flow_log_days=LOG_DAYS,
        keep=keep,
        opts=opts,
    )
    subnets = {zone: subnet.id for zone, subnet in made.private_subnets.items()}
    return Place(made.vpc.id, subnets, network.control_plane)
