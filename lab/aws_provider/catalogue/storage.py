"""EFS and FSx for Lustre."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider.catalogue import tagging
from lab.aws_provider.resource_type import (
    Description,
    ResourceType,
    Subject,
    by_id,
    deleted_by,
    fixed,
    not_updated,
    of_the_provider,
    output,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request

FILE_SYSTEM = ResourceType(
    pulumi_type="aws:efs/fileSystem:FileSystem",
    service="efs",
    inputs={
        **fixed("creationToken", "encrypted"),
        **not_updated("throughputMode", default="bursting"),
    },
    create="CreateFileSystem",
    identify=lambda _, answer: answer["FileSystemId"],
    read="DescribeFileSystems",
    ask=by_id("FileSystemId"),
    found="FileSystems.0",
    delete=deleted_by("DeleteFileSystem", "FileSystemId"),
    outputs={
        "arn": lambda subject, _: subject.arn("elasticfilesystem", f"file-system/{subject.identifier}"),
        "dnsName": lambda subject, _: f"{subject.identifier}.efs.{subject.api.region}.amazonaws.com",
    },
    name="creationToken",
    identity=("creationToken",),
    gone=frozenset({"FileSystemNotFound"}),
    tagging=tagging.pairs,
)


def _with_groups(subject: Subject, found: Description) -> Description:
    target = {"MountTargetId": subject.identifier}
    groups = subject.api.call("efs", "DescribeMountTargetSecurityGroups", target)
    return {**found, "SecurityGroups": groups["SecurityGroups"]}


MOUNT_TARGET = ResourceType(
    pulumi_type="aws:efs/mountTarget:MountTarget",
    service="efs",
    inputs={**fixed("fileSystemId", "subnetId"), **not_updated("securityGroups")},
    create="CreateMountTarget",
    identify=lambda _, answer: answer["MountTargetId"],
    read="DescribeMountTargets",
    ask=by_id("MountTargetId"),
    found="MountTargets.0",
    complete=_with_groups,
    delete=deleted_by("DeleteMountTarget", "MountTargetId"),
    outputs={"ipAddress": output("IpAddress"), "availabilityZoneName": output("AvailabilityZoneName")},
    identity=("fileSystemId", "subnetId"),
    gone=frozenset({"MountTargetNotFound"}),
)

ACCESS_POINT = ResourceType(
    pulumi_type="aws:efs/accessPoint:AccessPoint",
    service="efs",
    inputs=fixed("fileSystemId", "posixUser", "rootDirectory"),
    create="CreateAccessPoint",
    identify=lambda _, answer: answer["AccessPointId"],
    read="DescribeAccessPoints",
    ask=by_id("AccessPointId"),
    found="AccessPoints.0",
    delete=deleted_by("DeleteAccessPoint", "AccessPointId"),
    outputs={"arn": output("AccessPointArn")},
    gone=frozenset({"AccessPointNotFound"}),
    tagging=tagging.pairs,
)

_LUSTRE = "LustreConfiguration"


def _deleted(subject: Subject) -> Sequence[Request]:
    backup = {"SkipFinalBackup": bool(subject.get("skipFinalBackup"))}
    return [("DeleteFileSystem", {"FileSystemId": subject.identifier, _LUSTRE: backup})]


LUSTRE = ResourceType(
    pulumi_type="aws:fsx/lustreFileSystem:LustreFileSystem",
    service="fsx",
    inputs={
        **fixed("subnetIds", single=True),
        **fixed("storageType"),
        **fixed("securityGroupIds", read=None),
        **fixed("deploymentType", create=f"{_LUSTRE}.DeploymentType"),
        **not_updated("automaticBackupRetentionDays", create=f"{_LUSTRE}.AutomaticBackupRetentionDays"),
        **not_updated("dataCompressionType", create=f"{_LUSTRE}.DataCompressionType"),
        **not_updated("perUnitStorageThroughput", create=f"{_LUSTRE}.PerUnitStorageThroughput"),
        **not_updated("storageCapacity"),
        # moto does not tell.
        **not_updated("fileSystemTypeVersion", read=None),
        **of_the_provider("skipFinalBackup"),
    },
    create="CreateFileSystem",
    identify=lambda _, answer: answer["FileSystem"]["FileSystemId"],
    read="DescribeFileSystems",
    ask=by_id("FileSystemIds"),
    found="FileSystems.0",
    delete=_deleted,
    also=lambda _: {"FileSystemType": "LUSTRE"},
    outputs={
        "arn": output("ResourceARN"),
        "dnsName": output("DNSName"),
        "mountName": output(f"{_LUSTRE}.MountName"),
    },
    gone=frozenset({"FileSystemNotFound"}),
    tagging=tagging.pairs,
)

TYPES = (FILE_SYSTEM, MOUNT_TARGET, ACCESS_POINT, LUSTRE)
