"""EFS and FSx for Lustre."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider.catalogue.tagging import EFS, FSX
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    Description,
    ResourceType,
    Subject,
    by_id,
    changed_by,
    deleted_by,
    fixed,
    of_the_provider,
    output,
    upper,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request

FILE_SYSTEM = ResourceType(
    pulumi_type="aws:efs/fileSystem:FileSystem",
    service="efs",
    inputs={
        **fixed("creationToken", "encrypted"),
        **changed_by("throughput", "throughputMode", default="bursting"),
    },
    create="CreateFileSystem",
    identify=lambda _, answer: answer["FileSystemId"],
    read="DescribeFileSystems",
    ask=by_id("FileSystemId"),
    found="FileSystems.0",
    delete=deleted_by("DeleteFileSystem", "FileSystemId"),
    updates={
        "throughput": lambda subject, _: [
            (
                "UpdateFileSystem",
                {
                    "FileSystemId": subject.identifier,
                    "ThroughputMode": subject.inputs.get("throughputMode", "bursting"),
                },
            )
        ]
    },
    outputs={
        "arn": lambda subject, _: subject.arn("elasticfilesystem", f"file-system/{subject.identifier}"),
        "dnsName": lambda subject, _: f"{subject.identifier}.efs.{subject.region}.amazonaws.com",
    },
    name="creationToken",
    identity=("creationToken",),
    gone=frozenset({"FileSystemNotFound"}),
    tagging=EFS,
)


def _with_groups(subject: Subject, found: Description) -> Description:
    target = {"MountTargetId": subject.identifier}
    groups = subject.api.call("efs", "DescribeMountTargetSecurityGroups", target)
    return {**found, "SecurityGroups": groups["SecurityGroups"]}


MOUNT_TARGET = ResourceType(
    pulumi_type="aws:efs/mountTarget:MountTarget",
    service="efs",
    inputs={**fixed("fileSystemId", "subnetId"), **changed_by("groups", "securityGroups")},
    create="CreateMountTarget",
    identify=lambda _, answer: answer["MountTargetId"],
    read="DescribeMountTargets",
    ask=by_id("MountTargetId"),
    found="MountTargets.0",
    complete=_with_groups,
    delete=deleted_by("DeleteMountTarget", "MountTargetId"),
    updates={
        "groups": lambda subject, _: [
            (
                "ModifyMountTargetSecurityGroups",
                {"MountTargetId": subject.identifier, "SecurityGroups": subject["securityGroups"]},
            )
        ]
    },
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
    tagging=EFS,
)

_LUSTRE = "LustreConfiguration"
_CHANGING = ("automaticBackupRetentionDays", "dataCompressionType", "perUnitStorageThroughput")


def _updated(subject: Subject, changed: set[str]) -> Sequence[Request]:
    request = mapped(LUSTRE, {name: subject.inputs[name] for name in changed if name in subject.inputs})
    return [("UpdateFileSystem", {"FileSystemId": subject.identifier, **request})]


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
        **{
            name: entry
            for each in _CHANGING
            for name, entry in changed_by("file system", each, create=f"{_LUSTRE}.{upper(each)}").items()
        },
        **changed_by("file system", "storageCapacity", "fileSystemTypeVersion"),
        **of_the_provider("skipFinalBackup"),
    },
    create="CreateFileSystem",
    identify=lambda _, answer: answer["FileSystem"]["FileSystemId"],
    read="DescribeFileSystems",
    ask=by_id("FileSystemIds"),
    found="FileSystems.0",
    delete=_deleted,
    also=lambda _: {"FileSystemType": "LUSTRE"},
    updates={"file system": _updated},
    outputs={
        "arn": output("ResourceARN"),
        "dnsName": output("DNSName"),
        "mountName": output(f"{_LUSTRE}.MountName"),
        "vpcId": output("VpcId"),
    },
    gone=frozenset({"FileSystemNotFound"}),
    tagging=FSX,
)

TYPES = (FILE_SYSTEM, MOUNT_TARGET, ACCESS_POINT, LUSTRE)
