"""EFS: https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html and API_CreateFileSystem.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_MOST_GROUPS = 5


@refuses("efs", "CreateFileSystem")
def file_system(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Throughput modes, and what goes with them; a key without encryption."""
    mode = given.get("ThroughputMode", "bursting")
    provisioned = given.get("ProvisionedThroughputInMibps")
    if (mode == "provisioned") is not (provisioned is not None):
        raise Refused(
            "BadRequest",
            "ProvisionedThroughputInMibps is required for, and only valid with, throughput mode provisioned.",
        )
    if mode == "elastic" and given.get("PerformanceMode", "generalPurpose") != "generalPurpose":
        raise Refused("BadRequest", "Elastic throughput is supported with generalPurpose performance only.")
    if given.get("KmsKeyId") and not given.get("Encrypted"):
        raise Refused("BadRequest", "A KMS key can only be given for an encrypted file system.")


@refuses("efs", "CreateMountTarget")
def mount_target(place: Place, given: dict[str, Any]) -> None:
    """One mount target a zone, all in one VPC, five security groups at most."""
    subnet = place.subnet(given["SubnetId"])
    if subnet is None:
        raise Refused("SubnetNotFound", f"The subnet ID '{given['SubnetId']}' does not exist")
    if len(given.get("SecurityGroups", [])) > _MOST_GROUPS:
        raise Refused("SecurityGroupLimitExceeded", f"{_MOST_GROUPS} security groups at most are allowed")
    for identifier in given.get("SecurityGroups", []):
        group = place.security_group(identifier)
        if group is None or group.vpc_id != subnet.vpc_id:
            raise Refused(
                "SecurityGroupNotFound",
                f"The security group '{identifier}' does not exist in {subnet.vpc_id}",
            )
    for known in place.efs.mount_targets_by_id.values():
        if known.file_system_id != given["FileSystemId"]:
            continue
        other = place.subnet(known.subnet_id)
        if other is None:
            continue
        if other.availability_zone == subnet.availability_zone:
            raise Refused("MountTargetConflict", "mount target already exists in this AZ")
        if other.vpc_id != subnet.vpc_id:
            raise Refused(
                "MountTargetConflict",
                f"requested subnet for new mount target is not in the VPC {other.vpc_id}",
            )
