"""What the node groups of a planned cluster are made from."""

from collections.abc import Collection
from dataclasses import dataclass

import pulumi

from components.eks_cluster import EksCluster
from components.node_group import ExistingPlacement, NewPlacement, NodeGroupArgs, Taint
from components.node_network import NodeNetwork
from components.purchase import Reservation
from stacks.plan.infrastructure import eks_plan as planned
from stacks.plan.infrastructure.nodes import gpu_template, system_template
from stacks.program.network import Place
from stacks.updates.deployed_nodes import EMPTIED_TAG, SYSTEM, logical_name

_GPU_TAINT = Taint("nvidia.com/gpu", "present", "NO_SCHEDULE")


@dataclass(frozen=True, slots=True)
class Site:
    """What every node group is made of."""

    place: Place
    cluster: EksCluster
    groups: NodeNetwork
    role_arn: pulumi.Input[str]
    resized: Collection[str]


def system_arguments(plan: planned.EksPlan, site: Site) -> NodeGroupArgs:
    """Return those of the nodes for everything without GPUs."""
    system = plan.system_nodes
    return NodeGroupArgs(
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=site.place.of_control_plane,
        security_group_ids=[site.cluster.security_group_id],
        template=system_template(system),
        ami_type=system.ami_type,
        version=plan.version,
        nodes=system.nodes,
        repaired=plan.node_repair,
        scarce=False,
        placement=None,
        labels={"node-role": "system"},
        taints=(),
        tags={},
        sets_size=SYSTEM in site.resized,
    )


def gpu_arguments(nodes: planned.PlannedNodes, plan: planned.EksPlan, site: Site) -> NodeGroupArgs:
    """Return those of a pool's nodes, with the network interfaces of their type."""
    return NodeGroupArgs(
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=[site.place.subnet(nodes.zone.name)],
        security_group_ids=[site.cluster.security_group_id, site.groups.gpu_group.id],
        template=gpu_template(nodes),
        ami_type=nodes.ami_type,
        version=plan.version,
        nodes=nodes.pool.nodes,
        repaired=plan.node_repair,
        scarce=True,
        placement=_placement(nodes),
        labels=nodes.pool.labels,
        taints=(_GPU_TAINT,),
        tags={EMPTIED_TAG: "true"} if nodes.phase == "empty" else {},
        sets_size=logical_name(nodes) in site.resized,
    )


def _placement(nodes: planned.PlannedNodes) -> NewPlacement | ExistingPlacement | None:
    if nodes.placed_together:
        return NewPlacement()
    # A reservation that was made outside a cluster placement group cannot be used in one, and one that was
    # made inside cannot be used outside (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html).
    if isinstance(nodes.purchase, Reservation) and nodes.purchase.placement_group:
        return ExistingPlacement(nodes.purchase.placement_group)
    return None
