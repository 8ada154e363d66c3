"""EFS file systems, mount targets, access points."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.tagging import pairs
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    Description,
    Input,
    ResourceType,
    Subject,
    Tagging,
    Update,
    changed_by,
    first,
    fixed,
    output,
)


def _change_tags(subject: Subject, _: Description, tags: dict[str, str], gone: list[str]) -> None:
    resource = {"ResourceId": subject.identifier}
    if gone:
        subject.api.call("efs", "UntagResource", {**resource, "TagKeys": gone})
    if tags:
        subject.api.call("efs", "TagResource", {**resource, "Tags": pairs(tags)})


_TAGS = Tagging(lambda tags: {"Tags": pairs(tags)}, lambda found: found.get("Tags"), _change_tags)


def _file_system(subject: Subject) -> dict[str, str]:
    return {"FileSystemId": subject.identifier}


def _describe_file_system(subject: Subject) -> Description | None:
    found = first(subject, "efs", "DescribeFileSystems", _file_system(subject), "FileSystems")
    if found is None:
        return None
    lifecycle = subject.api.call("efs", "DescribeLifecycleConfiguration", _file_system(subject))
    return {**found, "LifecyclePolicies": lifecycle.get("LifecyclePolicies")}


def _throughput(subject: Subject, _: set[str]) -> None:
    request = {**_file_system(subject), "ThroughputMode": subject.inputs.get("throughputMode", "bursting")}
    if subject.inputs.get("provisionedThroughputInMibps"):
        request["ProvisionedThroughputInMibps"] = subject["provisionedThroughputInMibps"]
    subject.api.call("efs", "UpdateFileSystem", request)


def _lifecycle(subject: Subject, _: set[str]) -> None:
    policies = [
        {key[0].upper() + key[1:]: value for key, value in policy.items()}
        for policy in subject.inputs.get("lifecyclePolicies") or []
    ]
    request = {**_file_system(subject), "LifecyclePolicies": policies}
    subject.api.call("efs", "PutLifecycleConfiguration", request)


FILE_SYSTEM = ResourceType(
    pulumi_type="aws:efs/fileSystem:FileSystem",
    service="efs",
    inputs={
        **fixed("creationToken", "availabilityZoneName", "encrypted", "kmsKeyId", "performanceMode"),
        **changed_by("throughput", "throughputMode", default="bursting"),
        **changed_by("throughput", "provisionedThroughputInMibps"),
        "lifecyclePolicies": Input(create=None, update="lifecycle"),
    },
    create="CreateFileSystem",
    identify=lambda _, answer: answer["FileSystemId"],
    describe=_describe_file_system,
    delete=lambda subject: subject.api.call("efs", "DeleteFileSystem", _file_system(subject)),
    updates={"throughput": Update(_throughput), "lifecycle": Update(_lifecycle)},
    outputs={
        "arn": lambda subject, _: subject.arn("elasticfilesystem", f"file-system/{subject.identifier}"),
        "dnsName": lambda subject, _: f"{subject.identifier}.efs.{subject.region}.amazonaws.com",
        "ownerId": output("OwnerId"),
        "numberOfMountTargets": output("NumberOfMountTargets"),
    },
    name="creationToken",
    identity=("creationToken",),
    gone=frozenset({"FileSystemNotFound"}),
    tagging=_TAGS,
)


def _target(subject: Subject) -> dict[str, str]:
    return {"MountTargetId": subject.identifier}


def _describe_target(subject: Subject) -> Description | None:
    found = first(subject, "efs", "DescribeMountTargets", _target(subject), "MountTargets")
    if found is None:
        return None
    groups = subject.api.call("efs", "DescribeMountTargetSecurityGroups", _target(subject))
    return {**found, "SecurityGroups": groups["SecurityGroups"]}


def _change_groups(subject: Subject, _: set[str]) -> None:
    request = {**_target(subject), **mapped(MOUNT_TARGET, {"securityGroups": subject["securityGroups"]})}
    subject.api.call("efs", "ModifyMountTargetSecurityGroups", request)


def _name_of(subject: Subject) -> str:
    return f"{subject.get('fileSystemId')}.efs.{subject.region}.amazonaws.com"


MOUNT_TARGET = ResourceType(
    pulumi_type="aws:efs/mountTarget:MountTarget",
    service="efs",
    inputs={
        **fixed("fileSystemId", "subnetId", "ipAddress"),
        **fixed("ipAddressType", "ipv6Address", read=None),
        **changed_by("groups", "securityGroups"),
    },
    create="CreateMountTarget",
    identify=lambda _, answer: answer["MountTargetId"],
    describe=_describe_target,
    delete=lambda subject: subject.api.call("efs", "DeleteMountTarget", _target(subject)),
    updates={"groups": Update(_change_groups)},
    outputs={
        "ipAddress": output("IpAddress"),
        "availabilityZoneName": output("AvailabilityZoneName"),
        "availabilityZoneId": output("AvailabilityZoneId"),
        "networkInterfaceId": output("NetworkInterfaceId"),
        "ownerId": output("OwnerId"),
        "dnsName": lambda subject, _: _name_of(subject),
        "mountTargetDnsName": lambda subject, found: (
            f"{found.get('AvailabilityZoneName')}.{_name_of(subject)}"
        ),
        "fileSystemArn": lambda subject, _: subject.arn(
            "elasticfilesystem", f"file-system/{subject.get('fileSystemId')}"
        ),
    },
    identity=("fileSystemId", "subnetId"),
    gone=frozenset({"MountTargetNotFound"}),
)


def _access_point(subject: Subject) -> dict[str, Any]:
    return {"AccessPointId": subject.identifier}


ACCESS_POINT = ResourceType(
    pulumi_type="aws:efs/accessPoint:AccessPoint",
    service="efs",
    inputs=fixed("fileSystemId", "posixUser", "rootDirectory"),
    create="CreateAccessPoint",
    identify=lambda _, answer: answer["AccessPointId"],
    describe=lambda subject: first(
        subject, "efs", "DescribeAccessPoints", _access_point(subject), "AccessPoints"
    ),
    delete=lambda subject: subject.api.call("efs", "DeleteAccessPoint", _access_point(subject)),
    outputs={"arn": output("AccessPointArn"), "ownerId": output("OwnerId")},
    gone=frozenset({"AccessPointNotFound"}),
    tagging=_TAGS,
)

TYPES = (FILE_SYSTEM, MOUNT_TARGET, ACCESS_POINT)
