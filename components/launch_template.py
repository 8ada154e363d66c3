"""The launch template of a node group, and what EKS calls the way in which capacity is bought."""

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from components.node_template import NodeTemplate, template_content
from components.purchase import CapacityBlock, OnDemand, Purchase, Reservation, Spot


def launch_template(
    logical_name: str,
    template: NodeTemplate,
    security_group_ids: Sequence[pulumi.Input[str]],
    placement_group: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
) -> aws.ec2.LaunchTemplate:
    """Make the template.

    It names no subnet, no disk size of the node group and no remote access: EKS refuses a template that does
    (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
    """
    content = template_content(template)
    interfaces = [
        {**item, "security_groups": list(security_group_ids)} for item in content["network_interfaces"]
    ]
    return aws.ec2.LaunchTemplate(
        logical_name,
        name=template.name,
        update_default_version=True,
        placement={"group_name": placement_group} if placement_group is not None else None,
        **{**content, "network_interfaces": interfaces},
        opts=opts,
    )


def capacity_type(purchase: Purchase) -> str:
    """What EKS calls it; EKS refuses a capacity block's template under any other."""
    match purchase:
        case Spot():
            return "SPOT"
        case CapacityBlock():
            return "CAPACITY_BLOCK"
        case OnDemand() | Reservation():
            return "ON_DEMAND"
