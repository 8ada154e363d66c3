"""What there is in the simulated account, in the words in which a person would look for it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from lab.account_client import client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.directory import LabDirectory


def found_in(lab: LabDirectory) -> set[str]:
    """Kind and name, or id, of everything that somebody has made; what every account has is left out."""
    of = functools.partial(client, lab)
    return {
        *_network(of("ec2")),
        *_machines(of("ec2"), of("autoscaling"), of("eks")),
        *_files(of("efs"), of("fsx"), of("ec2")),
        *_keys_and_logs(of("kms"), of("logs")),
        *(f"Role {each['RoleName']}" for each in of("iam").list_roles()["Roles"]),
    }


def _network(ec2: Any) -> Iterator[str]:
    own = [each["VpcId"] for each in ec2.describe_vpcs()["Vpcs"] if not each["IsDefault"]]
    yield from (f"VPC {each}" for each in own)
    for kind, name, found in (
        ("Subnet", "SubnetId", ec2.describe_subnets()["Subnets"]),
        ("Security group", "GroupId", ec2.describe_security_groups()["SecurityGroups"]),
        ("Network interface", "NetworkInterfaceId", ec2.describe_network_interfaces()["NetworkInterfaces"]),
        ("NAT gateway", "NatGatewayId", ec2.describe_nat_gateways()["NatGateways"]),
    ):
        yield from (
            f"{kind} {each[name]}"
            for each in found
            if each["VpcId"] in own and each.get("State") != "deleted"
        )
    yield from (f"Address {each['PublicIp']}" for each in ec2.describe_addresses()["Addresses"])
    zones = ec2.describe_availability_zones(AllAvailabilityZones=True)["AvailabilityZones"]
    yield from (
        f"Local Zone group {each['GroupName']}" for each in zones if each["OptInStatus"] == "opted-in"
    )


def _machines(ec2: Any, autoscaling: Any, eks: Any) -> Iterator[str]:
    yield from (f"Cluster {each}" for each in eks.list_clusters()["clusters"])
    groups = autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    yield from (f"Auto Scaling group {each['AutoScalingGroupName']}" for each in groups)
    templates = ec2.describe_launch_templates()["LaunchTemplates"]
    yield from (f"Launch template {each['LaunchTemplateName']}" for each in templates)
    yield from (
        f"Placement group {each['GroupName']}" for each in ec2.describe_placement_groups()["PlacementGroups"]
    )


def _files(efs: Any, fsx: Any, ec2: Any) -> Iterator[str]:
    yield from (
        f"EFS file system {each['FileSystemId']}" for each in efs.describe_file_systems()["FileSystems"]
    )
    yield from (
        f"FSx file system {each['FileSystemId']}" for each in fsx.describe_file_systems()["FileSystems"]
    )
    yield from (f"EBS volume {each['VolumeId']}" for each in ec2.describe_volumes()["Volumes"])


def _keys_and_logs(kms: Any, logs: Any) -> Iterator[str]:
    for key in kms.list_keys()["Keys"]:
        found = kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]
        stays = "" if found["KeyState"] == "PendingDeletion" else ", not to be deleted"
        yield f"KMS key {found['Description']}{stays}"
    yield from (f"Log group {each['logGroupName']}" for each in logs.describe_log_groups()["logGroups"])
