"""What AWS refuses although the shape of the request is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider.cloud.rules import (
    autoscaling,
    ec2_capacity,
    ec2_dependencies,
    ec2_interfaces,
    ec2_network,
    ec2_templates,
    efs,
    eks_access,
    eks_addons,
    eks_clusters,
    eks_launch,
    eks_node_groups,
    fsx,
    iam,
    tags,
)
from lab.aws_provider.cloud.rules.registry import RULES

if TYPE_CHECKING:
    from lab.aws_provider.cloud.decode import Call
    from lab.aws_provider.cloud.place import Place

__all__ = [
    "RULES",
    "autoscaling",
    "check",
    "ec2_capacity",
    "ec2_dependencies",
    "ec2_interfaces",
    "ec2_network",
    "ec2_templates",
    "efs",
    "eks_access",
    "eks_addons",
    "eks_clusters",
    "eks_launch",
    "eks_node_groups",
    "fsx",
    "iam",
    "tags",
]


def check(place: Place, call: Call) -> None:
    """Raises Refused for the first rule that a request breaks."""
    for rule in RULES[call.service, call.name]:
        rule(place, call.parameters)
