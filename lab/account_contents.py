"""What there is in the simulated account, in the words in which a person would look for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.account_client import client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.directory import LabDirectory

# What a person calls it, and how it is listed: service, operation, member of the answer, name or id of each.
_LISTED = (
    ("Address", "ec2", "describe_addresses", "Addresses", "PublicIp"),
    ("Launch template", "ec2", "describe_launch_templates", "LaunchTemplates", "LaunchTemplateName"),
    ("Placement group", "ec2", "describe_placement_groups", "PlacementGroups", "GroupName"),
    ("EBS volume", "ec2", "describe_volumes", "Volumes", "VolumeId"),
    (
        *("Auto Scaling group", "autoscaling", "describe_auto_scaling_groups"),
        *("AutoScalingGroups", "AutoScalingGroupName"),
    ),
    ("EFS file system", "efs", "describe_file_systems", "FileSystems", "FileSystemId"),
    ("FSx file system", "fsx", "describe_file_systems", "FileSystems", "FileSystemId"),
    ("Log group", "logs", "describe_log_groups", "logGroups", "logGroupName"),
    ("Role", "iam", "list_roles", "Roles", "RoleName"),
)
# Those of networks that somebody made.
_IN_NETWORKS = (
    ("VPC", "describe_vpcs", "Vpcs", "VpcId"),
    ("Subnet", "describe_subnets", "Subnets", "SubnetId"),
    ("Security group", "describe_security_groups", "SecurityGroups", "GroupId"),
    ("Network interface", "describe_network_interfaces", "NetworkInterfaces", "NetworkInterfaceId"),
    ("NAT gateway", "describe_nat_gateways", "NatGateways", "NatGatewayId"),
)


def found_in(lab: LabDirectory) -> set[str]:
    """Kind and name, or id, of everything that somebody has made; what every account has is left out."""
    clients = {
        service: client(lab, service) for service in ("ec2", "eks", "kms", *{row[1] for row in _LISTED})
    }
    return {
        *(
            f"{kind} {each[name]}"
            for kind, service, operation, member, name in _LISTED
            for each in getattr(clients[service], operation)()[member]
        ),
        *_network(clients["ec2"]),
        *(f"Cluster {each}" for each in clients["eks"].list_clusters()["clusters"]),
        *_keys(clients["kms"]),
    }


def _network(ec2: Any) -> Iterator[str]:
    own = [each["VpcId"] for each in ec2.describe_vpcs()["Vpcs"] if not each["IsDefault"]]
    for kind, operation, member, name in _IN_NETWORKS:
        for each in getattr(ec2, operation)()[member]:
            if each["VpcId"] in own and each.get("State") != "deleted":
                yield f"{kind} {each[name]}"
    for zone in ec2.describe_availability_zones(AllAvailabilityZones=True)["AvailabilityZones"]:
        if zone["OptInStatus"] == "opted-in":
            yield f"Local Zone group {zone['GroupName']}"


def _keys(kms: Any) -> Iterator[str]:
    for key in kms.list_keys()["Keys"]:
        found = kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]
        stays = "" if found["KeyState"] == "PendingDeletion" else ", not to be deleted"
        yield f"KMS key {found['Description']}{stays}"
