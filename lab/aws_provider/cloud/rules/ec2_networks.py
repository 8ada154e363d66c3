"""Networks: their ranges, zones, gateways and rules, and what cannot go while something is in it.

https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html; DependencyViolation of EC2's errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_documents import CLUSTER, NODE_GROUP
from lab.aws_provider.cloud.gaps.fsx import INTERFACE
from lab.aws_provider.cloud.refusal import require
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.aws_provider.cloud.place import Place

_LARGEST, _SMALLEST = 16, 28
_WITH_PORTS = ("tcp", "udp", "6", "17")
_SOURCES = ("IpRanges", "Ipv6Ranges", "PrefixListIds", "UserIdGroupPairs")
_VALUE, _COMBINATION = "InvalidParameterValue", "InvalidParameterCombination"


@dataclass(frozen=True)
class _Interface:
    """A network interface of another service."""

    subnet: str
    groups: tuple[str, ...] = ()


@refuses("ec2", "CreateVpc", "CreateSubnet")
def network(place: Place, given: dict[str, Any]) -> None:
    """/16 to /28 (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html), in a zone.

    A Local Zone is one once its account has opted in to it.
    """
    cidr, zone = given.get("CidrBlock", ""), given.get("AvailabilityZone")
    kind = "Subnet" if "VpcId" in given else "Vpc"
    bits = int(cidr.partition("/")[2] or 0)
    require(_LARGEST <= bits <= _SMALLEST, f"Invalid{kind}.Range", f"The CIDR '{cidr}' is invalid.")
    hidden = zone is not None and place.is_local_zone(zone) and not place.is_opted_in(zone[:-1])
    require(
        zone is None or (place.zone(zone) is not None and not hidden),
        _VALUE,
        f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can only be created in "
        "the Availability Zones and opted-in Local Zones of the region.",
    )


@refuses("ec2", "ModifyAvailabilityZoneGroup")
def zone_group(place: Place, given: dict[str, Any]) -> None:
    """A group that does not exist; opting out, which only AWS's support can do."""
    name, zones = given["GroupName"], load("local_zones.json")["zones"]
    groups = {zone["GroupName"] for zone in zones if zone["RegionName"] == place.region}
    require(name in groups, _VALUE, f"Value ({name}) for parameter groupName is invalid.")
    require(
        given["OptInStatus"] == "opted-in",
        "OptInRequired",
        f"Opting out of zone group {name} is done by AWS Support, not by this API.",
    )


@refuses("ec2", "CreateNatGateway")
def nat_gateway(place: Place, given: dict[str, Any]) -> None:
    """A gateway without an address; one in a Local Zone."""
    require(
        given.get("AllocationId"), "MissingParameter", "The request must contain the parameter AllocationId"
    )
    subnet = place.subnet(given.get("SubnetId", ""))
    zone = subnet.availability_zone if subnet else ""
    require(not place.is_local_zone(zone), _VALUE, f"NAT gateways are not supported in the zone {zone}.")


@refuses("ec2", "AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress")
def group_rules(place: Place, given: dict[str, Any]) -> None:
    """Ports with TCP and UDP, in order; a source or destination; groups that exist."""
    named = [given["GroupId"]]
    for permission in given["IpPermissions"]:
        protocol = permission["IpProtocol"]
        first, last = permission.get("FromPort"), permission.get("ToPort")
        if protocol in _WITH_PORTS:
            ports = [port for port in (first, last) if port is not None]
            require(
                None not in (first, last),
                _VALUE,
                f"Invalid value 'Must specify both from and to ports with {protocol}'.",
            )
            require(ports == sorted(ports), _VALUE, f"Invalid TCP/UDP port range ({first}:{last})")
        require(
            any(permission.get(source) for source in _SOURCES),
            "MissingParameter",
            "The request must contain the parameter cidr or groupId",
        )
        named += [pair["GroupId"] for pair in permission.get("UserIdGroupPairs", [])]
    for identifier in named:
        require(
            place.security_group(identifier) is not None,
            "InvalidGroup.NotFound",
            f"The security group '{identifier}' does not exist",
        )


@refuses("ec2", "CreateRoute")
def one_target(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Exactly one destination and one target."""
    destinations = [key for key in given if key.startswith("Destination")]
    targets = set(given) - {*destinations, "RouteTableId", "DryRun"}
    for what, found in (("destination", destinations), ("target", targets)):
        require(len(found) == 1, _COMBINATION, f"Exactly one {what} must be given for a route.")


@refuses("ec2", "CreateVpcEndpoint")
def endpoint_service(place: Place, given: dict[str, Any]) -> None:
    """A service of another region, or none of AWS's."""
    name = given.get("ServiceName", "")
    require(
        name.startswith(f"com.amazonaws.{place.region}."),
        "InvalidServiceName",
        f"The Vpc Endpoint Service '{name}' does not exist",
    )


@refuses("ec2", "CreateFlowLogs")
def flow_log(place: Place, given: dict[str, Any]) -> None:
    """A log group needs a role that may write to it."""
    arn = given.get("DeliverLogsPermissionArn", "")
    exists = any(role.arn == arn for role in place.moto("iam").roles.values())
    require(exists, "InvalidParameter", f"Access Denied for IAM role: {arn}")


@refuses("ec2", "DeleteSubnet")
def subnet_in_use(place: Place, given: dict[str, Any]) -> None:
    """A subnet with an interface: of a file system, a control plane, a node, a NAT gateway."""
    identifier = given["SubnetId"]
    used = any(each.subnet == identifier for each in _interfaces(place))
    _require_free(not used, f"The subnet '{identifier}' has dependencies and cannot be deleted.")


@refuses("ec2", "DeleteSecurityGroup")
def group_in_use(place: Place, given: dict[str, Any]) -> None:
    """A group of an interface, or one that a rule of another group names."""
    identifier = given["GroupId"]
    used = any(identifier in each.groups for each in _interfaces(place))
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


def _interfaces(place: Place) -> Iterator[_Interface]:
    """Every interface that a service of AWS has made in the region."""
    for document in place.store.all(INTERFACE, place.key("")):
        yield _Interface(document["SubnetId"], tuple(document["Groups"]))
    for document in CLUSTER.all(place):
        network = document["resourcesVpcConfig"]
        groups = (network["clusterSecurityGroupId"], *network["securityGroupIds"])
        yield from (_Interface(subnet, groups) for subnet in network["subnetIds"])
    for document in NODE_GROUP.all(place):
        template = place.launch_template_data(document.get("launchTemplate") or {}) or {}
        cards = template.get("NetworkInterfaces") or []
        groups = tuple(group for card in cards for group in card.get("Groups") or [])
        if document["scalingConfig"]["desiredSize"] > 0:
            yield from (_Interface(subnet, groups) for subnet in document["subnets"])
    for target in place.moto("efs").mount_targets_by_id.values():
        yield _Interface(target.subnet_id, tuple(target.security_groups or ()))
    for gateway in place.moto("ec2").nat_gateways.values():
        if gateway.state != "deleted":
            yield _Interface(gateway.subnet_id)


def _require_free(holds: object, message: str) -> None:
    require(holds, "DependencyViolation", message)
