"""What cannot be deleted while something is in it or refers to it.

https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html; DependencyViolation of EC2's errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.interfaces import interfaces
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place


@refuses("ec2", "DeleteSubnet")
def subnet(place: Place, given: dict[str, Any]) -> None:
    """A subnet with an interface: of a file system, a control plane, a node, a NAT gateway."""
    identifier = given["SubnetId"]
    if any(each.subnet == identifier for each in interfaces(place)):
        raise _violation(f"The subnet '{identifier}' has dependencies and cannot be deleted.")


@refuses("ec2", "DeleteSecurityGroup")
def security_group(place: Place, given: dict[str, Any]) -> None:
    """A group of an interface, or one that a rule of another group names."""
    identifier = given.get("GroupId", "")
    used = any(identifier in each.groups for each in interfaces(place))
    if used or any(identifier in _named_by(group) for group in _other_groups(place, identifier)):
        raise _violation(f"resource {identifier} has a dependent object")


@refuses("ec2", "DeleteVpc")
def vpc(place: Place, given: dict[str, Any]) -> None:
    """A network with an internet gateway, an endpoint or a group of somebody's own."""
    identifier = given["VpcId"]
    gateways = (each for each in place.ec2.internet_gateways.values() if each.vpc)
    endpoints = place.ec2.vpc_end_points.values()
    groups = place.ec2.groups.get(identifier, {}).values()
    if (
        any(each.vpc.id == identifier for each in gateways)
        or any(each.vpc_id == identifier and each.state != "deleted" for each in endpoints)
        or any(each.name != "default" for each in groups)
    ):
        raise _violation(f"The vpc '{identifier}' has dependencies and cannot be deleted.")


def _other_groups(place: Place, identifier: str) -> list[Any]:
    return [
        group for groups in place.ec2.groups.values() for group in groups.values() if group.id != identifier
    ]


def _named_by(group: Any) -> set[str]:
    rules = (*group.ingress_rules, *group.egress_rules)
    return {rule.source_group.get("GroupId", "") for rule in rules}


def _violation(message: str) -> Refused:
    return Refused("DependencyViolation", message)
