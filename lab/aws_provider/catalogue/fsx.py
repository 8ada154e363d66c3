"""FSx for Lustre."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.tagging import by_arn, pairs
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    NO_UPDATE,
    ResourceType,
    Subject,
    Update,
    changed_by,
    first,
    fixed,
    of_the_provider,
    output,
)

_LUSTRE = "LustreConfiguration"
_CHANGING = (
    "autoImportPolicy",
    "automaticBackupRetentionDays",
    "dailyAutomaticBackupStartTime",
    "dataCompressionType",
    "dataReadCacheConfiguration",
    "logConfiguration",
    "metadataConfiguration",
    "perUnitStorageThroughput",
    "rootSquashConfiguration",
    "throughputCapacity",
    "weeklyMaintenanceStartTime",
)
_FIXED = ("copyTagsToBackups", "deploymentType", "driveCacheType", "efaEnabled", "exportPath", "importPath")


def _upper(name: str) -> str:
    return name[0].upper() + name[1:]


def _update(subject: Subject, changed: set[str]) -> None:
    request = mapped(LUSTRE, {name: subject.inputs[name] for name in changed if name in subject.inputs})
    subject.api.call("fsx", "UpdateFileSystem", {"FileSystemId": subject.identifier, **request})


def _delete(subject: Subject) -> None:
    request: dict[str, Any] = {"FileSystemId": subject.identifier}
    lustre: dict[str, Any] = {}
    if subject.get("skipFinalBackup") is not None:
        lustre["SkipFinalBackup"] = subject.get("skipFinalBackup")
    if subject.get("finalBackupTags"):
        lustre["FinalBackupTags"] = pairs(subject.get("finalBackupTags"))
    subject.api.call("fsx", "DeleteFileSystem", request | ({_LUSTRE: lustre} if lustre else {}))


LUSTRE = ResourceType(
    pulumi_type="aws:fsx/lustreFileSystem:LustreFileSystem",
    service="fsx",
    inputs={
        **fixed("subnetIds", single=True),
        **fixed("storageType", "kmsKeyId"),
        **fixed("securityGroupIds", read=None),
        **{
            key: value
            for name in _FIXED
            for key, value in fixed(name, create=f"{_LUSTRE}.{_upper(name)}").items()
        },
        **fixed("importedFileChunkSize", create=f"{_LUSTRE}.ImportedFileChunkSize"),
        **{
            key: value
            for name in _CHANGING
            for key, value in changed_by("file system", name, create=f"{_LUSTRE}.{_upper(name)}").items()
        },
        **changed_by("file system", "storageCapacity", "fileSystemTypeVersion"),
        **of_the_provider("skipFinalBackup", "finalBackupTags"),
    },
    create="CreateFileSystem",
    identify=lambda _, answer: answer["FileSystem"]["FileSystemId"],
    describe=lambda subject: first(
        subject, "fsx", "DescribeFileSystems", {"FileSystemIds": [subject.identifier]}, "FileSystems"
    ),
    delete=_delete,
    also=lambda _: {"FileSystemType": "LUSTRE"},
    updates={"file system": Update(_update), **NO_UPDATE},
    outputs={
        "arn": output("ResourceARN"),
        "dnsName": output("DNSName"),
        "mountName": output(f"{_LUSTRE}.MountName"),
        "networkInterfaceIds": output("NetworkInterfaceIds"),
        "ownerId": output("OwnerId"),
        "vpcId": output("VpcId"),
    },
    gone=frozenset({"FileSystemNotFound"}),
    tagging=by_arn("fsx", "ResourceARN", tag_map=False, parameter="ResourceARN"),
)

TYPES = (LUSTRE,)
