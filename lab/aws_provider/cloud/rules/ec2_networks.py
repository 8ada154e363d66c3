"""Networks: their ranges, zones, gateways and rules, and what cannot go while something is in it.

https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html; DependencyViolation of EC2's errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_documents import CLUSTER, NODE_GROUP
from lab.aws_provider.cloud.refusal import require
from lab.aws_provider.cloud.registry import refuses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lab.aws_provider.cloud.place import Place

_LARGEST, _SMALLEST = 16, 28
_WITH_PORTS = ("tcp", "udp", "6", "17")
_VALUE = "InvalidParameterValue"


@refuses("ec2", "CreateVpc", "CreateSubnet")
def network(place: Place, given: dict[str, Any]) -> None:
    """/16 to /28 (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html), in a zone.

    A Local Zone is one once its account has opted in to it.
    """
    cidr, zone = given.get("CidrBlock", ""), given.get("AvailabilityZone")
    kind = "Subnet" if "VpcId" in given else "Vpc"
    bits = int(cidr.partition("/")[2] or 0)
    require(_LARGEST <= bits <= _SMALLEST, f"Invalid{kind}.Range", f"The CIDR '{cidr}' is invalid.")
    there = zone in place.zones() and (not place.is_local_zone(zone) or place.is_opted_in(zone[:-1]))
    require(
        zone is None or there,
        _VALUE,
        f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can only be created in "
        "the Availability Zones and opted-in Local Zones of the region.",
    )


@refuses("ec2", "ModifyAvailabilityZoneGroup")
def zone_group(place: Place, given: dict[str, Any]) -> None:
    """A group that does not exist."""
    name, zones = given["GroupName"], load("local_zones.json")["zones"]
    groups = {zone["GroupName"] for zone in zones if zone["RegionName"] == place.region}
    require(name in groups, _VALUE, f"Value ({name}) for parameter groupName is invalid.")


@refuses("ec2", "CreateNatGateway")
def nat_gateway(place: Place, given: dict[str, Any]) -> None:
    """A gateway in a Local Zone."""
    zone = place.subnet(given["SubnetId"]).availability_zone
    require(not place.is_local_zone(zone), _VALUE, f"NAT gateways are not supported in the zone {zone}.")


@refuses("ec2", "AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress")
def group_rules(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """TCP or UDP without ports."""
    for permission in given["IpPermissions"]:
        protocol = permission["IpProtocol"]
        require(
            protocol not in _WITH_PORTS or {"FromPort", "ToPort"} <= permission.keys(),
            _VALUE,
            f"Invalid value 'Must specify both from and to ports with {protocol}'.",
        )


@refuses("ec2", "DeleteSubnet")
def subnet_in_use(place: Place, given: dict[str, Any]) -> None:
    """A subnet with an interface: of a file system, a control plane, a node, a NAT gateway."""
    identifier = given["SubnetId"]
    used = any(subnet == identifier for subnet, _ in _interfaces(place))
    _require_free(not used, f"The subnet '{identifier}' has dependencies and cannot be deleted.")


@refuses("ec2", "DeleteSecurityGroup")
def group_in_use(place: Place, given: dict[str, Any]) -> None:
    """A group of an interface, or one that a rule of another group names."""
    identifier = given["GroupId"]
    used = any(identifier in groups for _, groups in _interfaces(place))
    others = [
        each
        for groups in place.moto("ec2").groups.values()
        for each in groups.values()
        if each.id != identifier
    ]
    rules = [rule for each in others for rule in (*each.ingress_rules, *each.egress_rules)]
    named = any(rule.source_group.get("GroupId") == identifier for rule in rules)
    _require_free(not used and not named, f"resource {identifier} has a dependent object")


@refuses("ec2", "DeleteVpc")
def network_in_use(place: Place, given: dict[str, Any]) -> None:
    """A network with an internet gateway, an endpoint or a group of somebody's own."""
    identifier, ec2 = given["VpcId"], place.moto("ec2")
    gateways = any(each.vpc and each.vpc.id == identifier for each in ec2.internet_gateways.values())
    endpoints = any(
        each.vpc_id == identifier and each.state != "deleted" for each in ec2.vpc_end_points.values()
    )
    groups = any(each.name != "default" for each in ec2.groups.get(identifier, {}).values())
    _require_free(
        not (gateways or endpoints or groups),
        f"The vpc '{identifier}' has dependencies and cannot be deleted.",
    )


def _interfaces(place: Place) -> Iterator[tuple[str, Sequence[str]]]:
    """Subnet and security groups of every interface that a service of AWS has made in the region."""
    for lustre in place.moto("fsx").file_systems.values():
        yield lustre.subnet_ids[0], lustre.security_group_ids
    for document in CLUSTER.all(place):
        network = document["resourcesVpcConfig"]
        yield from ((subnet, [network["clusterSecurityGroupId"]]) for subnet in network["subnetIds"])
    for document in NODE_GROUP.all(place):
        cards = place.content(document).get("NetworkInterfaces") or []
        groups = [group for card in cards for group in card.get("Groups") or []]
        if document["scalingConfig"]["desiredSize"] > 0:
            yield from ((subnet, groups) for subnet in document["subnets"])
    for target in place.moto("efs").mount_targets_by_id.values():
        yield target.subnet_id, target.security_groups or ()
    for gateway in place.moto("ec2").nat_gateways.values():
        if gateway.state != "deleted":
            yield gateway.subnet_id, ()


def _require_free(holds: object, message: str) -> None:
    require(holds, "DependencyViolation", message)
