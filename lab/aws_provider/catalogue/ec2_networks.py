"""VPC, subnets, gateways, addresses, zone groups."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.resource_type import (
    Description,
    Input,
    ResourceType,
    Subject,
    Update,
    at,
    changed_by,
    first,
    fixed,
    output,
)

_VPC_ATTRIBUTES = ("enableDnsSupport", "enableDnsHostnames", "enableNetworkAddressUsageMetrics")


def _upper(name: str) -> str:
    return name[0].upper() + name[1:]


def _describe_vpc(subject: Subject) -> Description | None:
    vpc = first(subject, "ec2", "DescribeVpcs", {"VpcIds": [subject.identifier]}, "Vpcs")
    if vpc is None:
        return None
    for name in _VPC_ATTRIBUTES:
        if name == "enableNetworkAddressUsageMetrics" and subject.get(name) is None:
            continue
        asked = {"VpcId": subject.identifier, "Attribute": name}
        vpc[name] = at(subject.api.call("ec2", "DescribeVpcAttribute", asked), f"{_upper(name)}.Value")
    own = [{"Name": "vpc-id", "Values": [subject.identifier]}]
    main = {"Filters": [*own, {"Name": "association.main", "Values": ["true"]}]}
    table = first(subject, "ec2", "DescribeRouteTables", main, "RouteTables")
    named = {"Filters": [*own, {"Name": "group-name", "Values": ["default"]}]}
    group = first(subject, "ec2", "DescribeSecurityGroups", named, "SecurityGroups")
    acl = {"Filters": [*own, {"Name": "default", "Values": ["true"]}]}
    network_acl = first(subject, "ec2", "DescribeNetworkAcls", acl, "NetworkAcls")
    vpc["main"] = {
        "table": at(table, "RouteTableId"),
        "group": at(group, "GroupId"),
        "acl": at(network_acl, "NetworkAclId"),
    }
    return vpc


def _modify_vpc(subject: Subject, changed: set[str]) -> None:
    # One attribute a request, hostnames after the support that they need.
    for name in _VPC_ATTRIBUTES:
        if name in changed:
            value = {"Value": subject.inputs.get(name, name == "enableDnsSupport")}
            subject.api.call("ec2", "ModifyVpcAttribute", {"VpcId": subject.identifier, _upper(name): value})


VPC = ResourceType(
    pulumi_type="aws:ec2/vpc:Vpc",
    service="ec2",
    inputs={
        **fixed("cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength", "ipv6CidrBlock"),
        **fixed("ipv6CidrBlockNetworkBorderGroup", "ipv6IpamPoolId", "ipv6NetmaskLength", read=None),
        **fixed("instanceTenancy"),
        **fixed("assignGeneratedIpv6CidrBlock", create="AmazonProvidedIpv6CidrBlock", read=None),
        **changed_by("attributes", "enableDnsSupport", create=None, default=True),
        **changed_by("attributes", "enableDnsHostnames", create=None, default=False),
        **changed_by("attributes", "enableNetworkAddressUsageMetrics", create=None),
    },
    create="CreateVpc",
    identify=lambda _, answer: answer["Vpc"]["VpcId"],
    describe=_describe_vpc,
    delete=lambda subject: subject.api.call("ec2", "DeleteVpc", {"VpcId": subject.identifier}),
    updates={"attributes": Update(_modify_vpc)},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"vpc/{subject.identifier}"),
        "ownerId": output("OwnerId"),
        "dhcpOptionsId": output("DhcpOptionsId"),
        "mainRouteTableId": output("main.table"),
        "defaultRouteTableId": output("main.table"),
        "defaultSecurityGroupId": output("main.group"),
        "defaultNetworkAclId": output("main.acl"),
    },
    gone=frozenset({"InvalidVpcID.NotFound"}),
    tagging=of_ec2("vpc"),
)

_SUBNET_ATTRIBUTES = (
    "mapPublicIpOnLaunch",
    "assignIpv6AddressOnCreation",
    "enableDns64",
    "mapCustomerOwnedIpOnLaunch",
    "customerOwnedIpv4Pool",
)


def _modify_subnet(subject: Subject, changed: set[str]) -> None:
    for name in _SUBNET_ATTRIBUTES:
        if name in changed:
            given: Any = subject.inputs.get(name, False)
            value = given if name == "customerOwnedIpv4Pool" else {"Value": given}
            request = {"SubnetId": subject.identifier, _upper(name): value}
            subject.api.call("ec2", "ModifySubnetAttribute", request)


SUBNET = ResourceType(
    pulumi_type="aws:ec2/subnet:Subnet",
    service="ec2",
    inputs={
        **fixed("vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId", "outpostArn", "ipv6Native"),
        **fixed("ipv6CidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength", read=None),
        **fixed("ipv6IpamPoolId", "ipv6NetmaskLength", read=None),
        **changed_by("attributes", "mapPublicIpOnLaunch", create=None, default=False),
        **changed_by("attributes", "assignIpv6AddressOnCreation", create=None, default=False),
        **changed_by("attributes", "enableDns64", "mapCustomerOwnedIpOnLaunch", create=None),
        **changed_by("attributes", "customerOwnedIpv4Pool", create=None),
    },
    create="CreateSubnet",
    identify=lambda _, answer: answer["Subnet"]["SubnetId"],
    describe=lambda subject: first(
        subject, "ec2", "DescribeSubnets", {"SubnetIds": [subject.identifier]}, "Subnets"
    ),
    delete=lambda subject: subject.api.call("ec2", "DeleteSubnet", {"SubnetId": subject.identifier}),
    updates={"attributes": Update(_modify_subnet)},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"subnet/{subject.identifier}"),
        "ownerId": output("OwnerId"),
        "availabilityZone": output("AvailabilityZone"),
        "availabilityZoneId": output("AvailabilityZoneId"),
    },
    gone=frozenset({"InvalidSubnetID.NotFound"}),
    tagging=of_ec2("subnet"),
)


def _describe_gateway(subject: Subject) -> Description | None:
    asked = {"InternetGatewayIds": [subject.identifier]}
    gateway = first(subject, "ec2", "DescribeInternetGateways", asked, "InternetGateways")
    if gateway is not None:
        gateway["VpcId"] = at(gateway, "Attachments.0.VpcId")
    return gateway


def _move_gateway(subject: Subject, _: set[str]) -> None:
    gateway = {"InternetGatewayId": subject.identifier}
    if subject.state.get("vpcId"):
        subject.api.call("ec2", "DetachInternetGateway", {**gateway, "VpcId": subject.state["vpcId"]})
    if subject.inputs.get("vpcId"):
        subject.api.call("ec2", "AttachInternetGateway", {**gateway, "VpcId": subject["vpcId"]})


def _delete_gateway(subject: Subject) -> None:
    gateway = {"InternetGatewayId": subject.identifier}
    if subject.get("vpcId"):
        subject.api.call("ec2", "DetachInternetGateway", {**gateway, "VpcId": subject.get("vpcId")})
    subject.api.call("ec2", "DeleteInternetGateway", gateway)


INTERNET_GATEWAY = ResourceType(
    pulumi_type="aws:ec2/internetGateway:InternetGateway",
    service="ec2",
    inputs=changed_by("attachment", "vpcId", create=None),
    create="CreateInternetGateway",
    identify=lambda _, answer: answer["InternetGateway"]["InternetGatewayId"],
    describe=_describe_gateway,
    delete=_delete_gateway,
    updates={"attachment": Update(_move_gateway)},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"internet-gateway/{subject.identifier}"),
        "ownerId": output("OwnerId"),
    },
    gone=frozenset({"InvalidInternetGatewayID.NotFound"}),
    tagging=of_ec2("internet-gateway"),
)


def _describe_nat_gateway(subject: Subject) -> Description | None:
    asked = {"NatGatewayIds": [subject.identifier]}
    gateway = first(subject, "ec2", "DescribeNatGateways", asked, "NatGateways")
    if gateway is None or gateway.get("State") in {"deleted", "deleting"}:
        return None
    return {**gateway, **at(gateway, "NatGatewayAddresses.0")} if gateway["NatGatewayAddresses"] else gateway


NAT_GATEWAY = ResourceType(
    pulumi_type="aws:ec2/natGateway:NatGateway",
    service="ec2",
    inputs={
        **fixed("allocationId", "subnetId", "connectivityType"),
        **fixed("privateIp", create="PrivateIpAddress", read="PrivateIp"),
        **fixed("secondaryAllocationIds", "secondaryPrivateIpAddresses", read=None),
        **fixed("secondaryPrivateIpAddressCount", read=None),
    },
    create="CreateNatGateway",
    identify=lambda _, answer: answer["NatGateway"]["NatGatewayId"],
    describe=_describe_nat_gateway,
    delete=lambda subject: subject.api.call("ec2", "DeleteNatGateway", {"NatGatewayId": subject.identifier}),
    outputs={
        "publicIp": output("PublicIp"),
        "privateIp": output("PrivateIp"),
        "networkInterfaceId": output("NetworkInterfaceId"),
        "associationId": output("AssociationId"),
    },
    gone=frozenset({"NatGatewayNotFound", "InvalidNatGatewayID.NotFound"}),
    tagging=of_ec2("natgateway"),
)

EIP = ResourceType(
    pulumi_type="aws:ec2/eip:Eip",
    service="ec2",
    inputs={
        **fixed("domain", "publicIpv4Pool", "networkBorderGroup"),
        **fixed("address", "customerOwnedIpv4Pool", "ipamPoolId", read=None),
    },
    create="AllocateAddress",
    identify=lambda _, answer: answer["AllocationId"],
    describe=lambda subject: first(
        subject, "ec2", "DescribeAddresses", {"AllocationIds": [subject.identifier]}, "Addresses"
    ),
    delete=lambda subject: subject.api.call("ec2", "ReleaseAddress", {"AllocationId": subject.identifier}),
    outputs={
        "allocationId": output("AllocationId"),
        "publicIp": output("PublicIp"),
        "arn": lambda subject, _: subject.arn("ec2", f"elastic-ip/{subject.identifier}"),
    },
    gone=frozenset({"InvalidAllocationID.NotFound"}),
    tagging=of_ec2("elastic-ip"),
)


def _describe_zone_group(subject: Subject) -> Description | None:
    wanted = [{"Name": "group-name", "Values": [subject.identifier]}]
    asked = {"AllAvailabilityZones": True, "Filters": wanted}
    return first(subject, "ec2", "DescribeAvailabilityZones", asked, "AvailabilityZones")


def _opt(subject: Subject, _: set[str]) -> None:
    request = {"GroupName": subject["groupName"], "OptInStatus": subject["optInStatus"]}
    subject.api.call("ec2", "ModifyAvailabilityZoneGroup", request)


AVAILABILITY_ZONE_GROUP = ResourceType(
    pulumi_type="aws:ec2/availabilityZoneGroup:AvailabilityZoneGroup",
    service="ec2",
    inputs={**fixed("groupName"), "optInStatus": Input(update="status")},
    create="ModifyAvailabilityZoneGroup",
    identify=lambda subject, _: subject["groupName"],
    describe=_describe_zone_group,
    # The vendor's provider forgets the group: opting out takes AWS's support.
    delete=lambda _: None,
    updates={"status": Update(_opt)},
)

TYPES = (VPC, SUBNET, INTERNET_GATEWAY, NAT_GATEWAY, EIP, AVAILABILITY_ZONE_GROUP)
