"""What AWS refuses although the shape of the request is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider.cloud.rules import ec2_launches, ec2_networks, eks_clusters, eks_node_groups, others
from lab.aws_provider.cloud.rules.registry import RULES

if TYPE_CHECKING:
    from lab.aws_provider.cloud.decode import Call
    from lab.aws_provider.cloud.place import Place

__all__ = ["RULES", "check", "ec2_launches", "ec2_networks", "eks_clusters", "eks_node_groups", "others"]


def check(place: Place, call: Call) -> None:
    """Raises Refused for the first rule that a request breaks."""
    for rule in RULES[call.service, call.name]:
        rule(place, call.parameters)
