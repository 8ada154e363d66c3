"""Networks: VPC, subnets, gateways, addresses, zone groups."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.resource_type import (
    Description,
    ResourceType,
    Subject,
    at,
    by_id,
    changed_by,
    deleted_by,
    fixed,
    not_updated,
    output,
    upper,
)

_GATEWAY, _VPC = "InternetGatewayId", "VpcId"
_ENDED = {"deleted", "deleting"}


def _attributes(of: str, operation: str) -> Any:
    """One attribute a request, hostnames after the support that they need."""
    return lambda subject, changed: [
        (operation, {of: subject.identifier, upper(name): {"Value": subject.inputs.get(name, False)}})
        for name in sorted(changed, key=lambda name: name == "enableDnsHostnames")
    ]


def _vpc(subject: Subject, found: Description) -> Description:
    for name in ("enableDnsSupport", "enableDnsHostnames"):
        asked = {_VPC: subject.identifier, "Attribute": name}
        answer = subject.api.call("ec2", "DescribeVpcAttribute", asked)
        found[name] = at(answer, f"{upper(name)}.Value")
    return found


VPC = ResourceType(
    pulumi_type="aws:ec2/vpc:Vpc",
    service="ec2",
    inputs={
        **fixed("cidrBlock"),
        **changed_by("attributes", "enableDnsSupport", create=None, default=True),
        **changed_by("attributes", "enableDnsHostnames", create=None, default=False),
    },
    create="CreateVpc",
    identify=lambda _, answer: answer["Vpc"][_VPC],
    read="DescribeVpcs",
    ask=by_id("VpcIds"),
    found="Vpcs.0",
    complete=_vpc,
    delete=deleted_by("DeleteVpc", _VPC),
    updates={"attributes": _attributes(_VPC, "ModifyVpcAttribute")},
    outputs={"arn": lambda subject, _: subject.arn("ec2", f"vpc/{subject.identifier}")},
    gone=frozenset({"InvalidVpcID.NotFound"}),
    tagging=of_ec2("vpc"),
)

SUBNET = ResourceType(
    pulumi_type="aws:ec2/subnet:Subnet",
    service="ec2",
    inputs={
        **fixed("vpcId", "cidrBlock", "availabilityZone"),
        **changed_by("attributes", "mapPublicIpOnLaunch", create=None, default=False),
    },
    create="CreateSubnet",
    identify=lambda _, answer: answer["Subnet"]["SubnetId"],
    read="DescribeSubnets",
    ask=by_id("SubnetIds"),
    found="Subnets.0",
    delete=deleted_by("DeleteSubnet", "SubnetId"),
    updates={"attributes": _attributes("SubnetId", "ModifySubnetAttribute")},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"subnet/{subject.identifier}"),
        "availabilityZoneId": output("AvailabilityZoneId"),
    },
    gone=frozenset({"InvalidSubnetID.NotFound"}),
    tagging=of_ec2("subnet"),
)


INTERNET_GATEWAY = ResourceType(
    pulumi_type="aws:ec2/internetGateway:InternetGateway",
    service="ec2",
    inputs=changed_by("attachment", "vpcId", create=None, read="Attachments.0.VpcId"),
    create="CreateInternetGateway",
    identify=lambda _, answer: answer["InternetGateway"][_GATEWAY],
    read="DescribeInternetGateways",
    ask=by_id("InternetGatewayIds"),
    found="InternetGateways.0",
    delete=lambda subject: [
        ("DetachInternetGateway", {_GATEWAY: subject.identifier, _VPC: subject.get("vpcId")}),
        ("DeleteInternetGateway", {_GATEWAY: subject.identifier}),
    ],
    updates={
        "attachment": lambda subject, _: [
            ("AttachInternetGateway", {_GATEWAY: subject.identifier, _VPC: subject["vpcId"]})
        ]
    },
    outputs={"arn": lambda subject, _: subject.arn("ec2", f"internet-gateway/{subject.identifier}")},
    gone=frozenset({"InvalidInternetGatewayID.NotFound"}),
    tagging=of_ec2("internet-gateway"),
)


def unless_ended(_: Subject, found: Description) -> Description | None:
    """The description of what is not being deleted."""
    return None if found.get("State") in _ENDED else found


NAT_GATEWAY = ResourceType(
    pulumi_type="aws:ec2/natGateway:NatGateway",
    service="ec2",
    inputs={
        **fixed("allocationId", read="NatGatewayAddresses.0.AllocationId"),
        **fixed("subnetId"),
    },
    create="CreateNatGateway",
    identify=lambda _, answer: answer["NatGateway"]["NatGatewayId"],
    read="DescribeNatGateways",
    ask=by_id("NatGatewayIds"),
    found="NatGateways.0",
    complete=unless_ended,
    delete=deleted_by("DeleteNatGateway", "NatGatewayId"),
    outputs={"publicIp": output("NatGatewayAddresses.0.PublicIp")},
    gone=frozenset({"NatGatewayNotFound", "InvalidNatGatewayID.NotFound"}),
    tagging=of_ec2("natgateway"),
)

EIP = ResourceType(
    pulumi_type="aws:ec2/eip:Eip",
    service="ec2",
    inputs=fixed("domain"),
    create="AllocateAddress",
    identify=lambda _, answer: answer["AllocationId"],
    read="DescribeAddresses",
    ask=by_id("AllocationIds"),
    found="Addresses.0",
    delete=deleted_by("ReleaseAddress", "AllocationId"),
    outputs={"allocationId": output("AllocationId"), "publicIp": output("PublicIp")},
    gone=frozenset({"InvalidAllocationID.NotFound"}),
    tagging=of_ec2("elastic-ip"),
)

AVAILABILITY_ZONE_GROUP = ResourceType(
    pulumi_type="aws:ec2/availabilityZoneGroup:AvailabilityZoneGroup",
    service="ec2",
    inputs={**fixed("groupName"), **not_updated("optInStatus")},
    create="ModifyAvailabilityZoneGroup",
    identify=lambda subject, _: subject["groupName"],
    read="DescribeAvailabilityZones",
    ask=lambda subject: {
        "AllAvailabilityZones": True,
        "Filters": [{"Name": "group-name", "Values": [subject.identifier]}],
    },
    found="AvailabilityZones.0",
    # The vendor's provider forgets the group: opting out takes AWS's support.
    delete=lambda _: [],
)

TYPES = (VPC, SUBNET, INTERNET_GATEWAY, NAT_GATEWAY, EIP, AVAILABILITY_ZONE_GROUP)
