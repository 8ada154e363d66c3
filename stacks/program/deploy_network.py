"""The network of a cluster that the stack makes: the stack's own, or an adopted one."""

from collections.abc import Mapping

import pulumi

from components.network import Network
from stacks.plan.infrastructure import eks_plan as planned

LOG_DAYS = 90
"""How long flow logs and the control plane's are kept."""


def deploy_network(
    plan: planned.EksPlan, opts: pulumi.ResourceOptions, *, keep: bool
) -> tuple[pulumi.Input[str], Mapping[str, pulumi.Input[str]]]:
    """Register the network, or nothing of one that exists; return its id, and zone -> private subnet."""
    network = plan.network
    if isinstance(network, planned.AdoptedNetwork):
        return network.typed.vpc_id, network.typed.subnets
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
    return made.vpc.id, {zone: subnet.id for zone, subnet in made.private_subnets.items()}
