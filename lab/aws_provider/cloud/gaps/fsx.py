"""FSx for Lustre: moto's has no lifecycle, mount name, sizes or updates."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import now
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

FILE_SYSTEM = "fsx-file-systems"
INTERFACE = "fsx-network-interfaces"
"""In which subnet, with which security groups; FSx itself does not tell the groups."""
_REQUEST_ONLY = {"SecurityGroupIds", "ClientRequestToken", "Tags"}


@answers("fsx", "CreateFileSystem")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A file system that is available at once."""
    identifier = f"fs-{uuid.uuid4().hex[:17]}"
    lustre = {
        "DeploymentType": "SCRATCH_1",
        "DataCompressionType": "NONE",
        "CopyTagsToBackups": False,
        **given.get("LustreConfiguration", {}),
        "MountName": "fsx" if _is_scratch_1(given) else uuid.uuid4().hex[:8],
    }
    subnet = place.subnet(given["SubnetIds"][0])
    interface = f"eni-{uuid.uuid4().hex[:17]}"
    place.store.put(
        INTERFACE,
        place.key(identifier),
        {
            "NetworkInterfaceId": interface,
            "SubnetId": given["SubnetIds"][0],
            "Groups": given.get("SecurityGroupIds", []),
            "Description": f"FSx network interface for {identifier}",
        },
    )
    document = {
        "StorageType": "SSD",
        "FileSystemTypeVersion": "2.15",
        **{key: value for key, value in given.items() if key not in _REQUEST_ONLY},
        "OwnerId": place.account,
        "CreationTime": now(),
        "FileSystemId": identifier,
        "Lifecycle": "AVAILABLE",
        "VpcId": subnet.vpc_id if subnet else "",
        "NetworkInterfaceIds": [interface],
        "DNSName": f"{identifier}.fsx.{place.region}.amazonaws.com",
        "ResourceARN": place.arn("fsx", f"file-system/{identifier}"),
        "Tags": given.get("Tags", []),
        "LustreConfiguration": lustre,
    }
    return {"FileSystem": place.store.put(FILE_SYSTEM, place.key(identifier), document)}


@answers("fsx", "DescribeFileSystems")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """All, or those named; an id that does not exist is an error."""
    wanted = given.get("FileSystemIds")
    if not wanted:
        return {"FileSystems": place.store.all(FILE_SYSTEM, place.key(""))}
    return {"FileSystems": [_find(place, identifier) for identifier in wanted]}


@answers("fsx", "UpdateFileSystem")
def update(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Capacity, throughput and settings of Lustre."""
    document = _find(place, given["FileSystemId"])
    for key in ("StorageCapacity", "StorageType", "FileSystemTypeVersion"):
        if key in given:
            document[key] = given[key]
    document["LustreConfiguration"].update(given.get("LustreConfiguration", {}))
    return {"FileSystem": place.store.put(FILE_SYSTEM, place.key(given["FileSystemId"]), document)}


@answers("fsx", "DeleteFileSystem")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes a file system."""
    _find(place, given["FileSystemId"])
    place.store.delete(FILE_SYSTEM, place.key(given["FileSystemId"]))
    place.store.delete(INTERFACE, place.key(given["FileSystemId"]))
    return {"FileSystemId": given["FileSystemId"], "Lifecycle": "DELETING"}


@answers("fsx", "TagResource")
def tag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Adds tags or changes their values."""
    document = _by_arn(place, given["ResourceARN"])
    added = {item["Key"] for item in given["Tags"]}
    document["Tags"] = [item for item in document["Tags"] if item["Key"] not in added] + given["Tags"]
    place.store.put(FILE_SYSTEM, place.key(document["FileSystemId"]), document)
    return {}


@answers("fsx", "UntagResource")
def untag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Takes tags away."""
    document = _by_arn(place, given["ResourceARN"])
    document["Tags"] = [item for item in document["Tags"] if item["Key"] not in given["TagKeys"]]
    place.store.put(FILE_SYSTEM, place.key(document["FileSystemId"]), document)
    return {}


def _is_scratch_1(given: dict[str, Any]) -> bool:
    return given.get("LustreConfiguration", {}).get("DeploymentType", "SCRATCH_1") == "SCRATCH_1"


def _find(place: Place, identifier: str) -> Document:
    found = place.store.get(FILE_SYSTEM, place.key(identifier))
    if found is None:
        raise Refused("FileSystemNotFound", f"File system '{identifier}' does not exist.")
    return found


def _by_arn(place: Place, arn: str) -> Document:
    for document in place.store.all(FILE_SYSTEM, place.key("")):
        if document["ResourceARN"] == arn:
            return document
    raise Refused("ResourceNotFound", f"The resource {arn} does not exist.")
