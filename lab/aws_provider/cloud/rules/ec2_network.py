"""Subnets, gateways, zones and security group rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_LARGEST, _SMALLEST = 16, 28
_ALL = "-1"
_WITH_PORTS = ("tcp", "udp", "6", "17")


@refuses("ec2", "CreateVpc", "CreateSubnet")
def size(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """/16 to /28 (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html)."""
    cidr = given.get("CidrBlock")
    if cidr is None:
        return
    bits = int(cidr.partition("/")[2] or 32)
    if not _LARGEST <= bits <= _SMALLEST:
        kind = "Subnet" if "VpcId" in given else "Vpc"
        raise Refused(f"Invalid{kind}.Range", f"The CIDR '{cidr}' is invalid.")


@refuses("ec2", "CreateSubnet")
def local_zone(place: Place, given: dict[str, Any]) -> None:
    """A zone that does not exist, or a Local Zone that the account has not opted in to."""
    zone = given.get("AvailabilityZone")
    if zone is None:
        return
    known = place.zone(zone)
    hidden = place.is_local_zone(zone) and not place.is_opted_in(zone[:-1])
    if known is None or hidden:
        raise Refused(
            "InvalidParameterValue",
            f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can only be created in "
            "the Availability Zones and opted-in Local Zones of the region.",
        )


@refuses("ec2", "ModifyAvailabilityZoneGroup")
def zone_group(place: Place, given: dict[str, Any]) -> None:
    """A group that does not exist; opting out, which only AWS's support can do."""
    zones = load("local_zones.json")["zones"]
    groups = {zone["GroupName"] for zone in zones if zone["RegionName"] == place.region}
    if given["GroupName"] not in groups:
        raise Refused(
            "InvalidParameterValue", f"Value ({given['GroupName']}) for parameter groupName is invalid."
        )
    if given["OptInStatus"] != "opted-in":
        raise Refused(
            "OptInRequired",
            f"Opting out of zone group {given['GroupName']} is done by AWS Support, not by this API.",
        )


@refuses("ec2", "CreateNatGateway")
def nat_gateway(place: Place, given: dict[str, Any]) -> None:
    """A public gateway without an address; one in a Local Zone."""
    if given.get("ConnectivityType", "public") == "public" and not given.get("AllocationId"):
        raise Refused("MissingParameter", "The request must contain the parameter AllocationId")
    subnet = place.subnet(given.get("SubnetId", ""))
    if subnet is not None and place.is_local_zone(subnet.availability_zone):
        raise Refused(
            "InvalidParameterValue",
            f"NAT gateways are not supported in the zone {subnet.availability_zone}.",
        )


@refuses("ec2", "AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress")
def ports(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Ports with TCP and UDP, in order, and a source or destination."""
    for permission in given.get("IpPermissions", []):
        protocol = permission.get("IpProtocol", _ALL)
        first, last = permission.get("FromPort"), permission.get("ToPort")
        if protocol in _WITH_PORTS and (first is None or last is None):
            raise Refused(
                "InvalidParameterValue",
                f"Invalid value 'Must specify both from and to ports with {protocol}'.",
            )
        if protocol in _WITH_PORTS and first > last:
            raise Refused("InvalidParameterValue", f"Invalid TCP/UDP port range ({first}:{last})")
        sources = ("IpRanges", "Ipv6Ranges", "PrefixListIds", "UserIdGroupPairs")
        if not any(permission.get(source) for source in sources):
            raise Refused("MissingParameter", "The request must contain the parameter cidr or groupId")


@refuses("ec2", "AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress")
def group_exists(place: Place, given: dict[str, Any]) -> None:
    """A rule of, or about, a group that does not exist."""
    named = [given["GroupId"]] if "GroupId" in given else []
    for permission in given.get("IpPermissions", []):
        named += [pair["GroupId"] for pair in permission.get("UserIdGroupPairs", []) if "GroupId" in pair]
    for identifier in named:
        if place.security_group(identifier) is None:
            raise Refused("InvalidGroup.NotFound", f"The security group '{identifier}' does not exist")


@refuses("ec2", "CreateRoute")
def one_target(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Exactly one destination and one target."""
    destinations = [key for key in given if key.startswith("Destination")]
    targets = [key for key in given if key not in {*destinations, "RouteTableId", "DryRun"}]
    if len(destinations) != 1:
        raise Refused("InvalidParameterCombination", "Exactly one destination must be given for a route.")
    if len(targets) != 1:
        raise Refused("InvalidParameterCombination", "Exactly one target must be given for a route.")


@refuses("ec2", "CreateVpcEndpoint")
def endpoint_service(place: Place, given: dict[str, Any]) -> None:
    """A service of another region, or none of AWS's."""
    name = given.get("ServiceName", "")
    if not name.startswith((f"com.amazonaws.{place.region}.", "com.amazonaws.vpce.")):
        raise Refused("InvalidServiceName", f"The Vpc Endpoint Service '{name}' does not exist")


@refuses("ec2", "CreateFlowLogs")
def flow_log(place: Place, given: dict[str, Any]) -> None:
    """A log group needs a role that may write to it."""
    kind = given.get("LogDestinationType", "cloud-watch-logs")
    if kind != "cloud-watch-logs":
        return
    arn = given.get("DeliverLogsPermissionArn", "")
    if not arn:
        raise Refused(
            "InvalidParameter",
            "DeliverLogsPermissionArn can't be empty if LogDestinationType is cloud-watch-logs.",
        )
    if not any(role.arn == arn for role in place.iam.roles.values()):
        raise Refused("InvalidParameter", f"Access Denied for IAM role: {arn}")
