"""FSx for Lustre: moto's has no lifecycle, mount name, sizes or updates."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.place import now
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

FILE_SYSTEM = "fsx-file-systems"
INTERFACE = "fsx-network-interfaces"
"""In which subnet, with which security groups; FSx itself does not tell the groups."""


@answers("fsx", "CreateFileSystem")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A file system that is available at once."""
    identifier, interface = f"fs-{uuid.uuid4().hex[:17]}", f"eni-{uuid.uuid4().hex[:17]}"
    subnet, groups = given["SubnetIds"][0], given.pop("SecurityGroupIds", [])
    place.store.put(INTERFACE, place.key(identifier), {"SubnetId": subnet, "Groups": groups})
    document = {
        "StorageType": "SSD",
        "Tags": [],
        **given,
        "OwnerId": place.account,
        "CreationTime": now(),
        "FileSystemId": identifier,
        "Lifecycle": "AVAILABLE",
        "VpcId": place.subnet(subnet).vpc_id,  # pyright: ignore[reportOptionalMemberAccess] - a rule has looked
        "NetworkInterfaceIds": [interface],
        "DNSName": f"{identifier}.fsx.{place.region}.amazonaws.com",
        "ResourceARN": place.arn("fsx", f"file-system/{identifier}"),
        "LustreConfiguration": {**given["LustreConfiguration"], "MountName": uuid.uuid4().hex[:8]},
    }
    return {"FileSystem": _put(place, document)}


@answers("fsx", "DescribeFileSystems")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """All, or those named; an id that does not exist is an error."""
    wanted = given.get("FileSystemIds")
    everything = place.store.all(FILE_SYSTEM, place.key(""))
    return {"FileSystems": [_find(place, each) for each in wanted] if wanted else everything}


@answers("fsx", "UpdateFileSystem")
def update(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Capacity and settings of Lustre."""
    document = _find(place, given["FileSystemId"])
    lustre = document["LustreConfiguration"] | given.get("LustreConfiguration", {})
    return {"FileSystem": _put(place, document | given | {"LustreConfiguration": lustre})}


@answers("fsx", "DeleteFileSystem")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes a file system."""
    _find(place, given["FileSystemId"])
    for kind in (FILE_SYSTEM, INTERFACE):
        place.store.delete(kind, place.key(given["FileSystemId"]))
    return {"FileSystemId": given["FileSystemId"], "Lifecycle": "DELETING"}


@answers("fsx", "TagResource")
def tag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Adds tags or changes their values."""
    return _change_tags(place, given, {item["Key"] for item in given["Tags"]}, given["Tags"])


@answers("fsx", "UntagResource")
def untag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Takes tags away."""
    return _change_tags(place, given, set(given["TagKeys"]), [])


def _change_tags(place: Place, given: dict[str, Any], gone: set[str], added: list[Any]) -> dict[str, Any]:
    document = _find(place, given["ResourceARN"].rpartition("/")[2])
    kept = [item for item in document["Tags"] if item["Key"] not in gone]
    _put(place, document | {"Tags": kept + added})
    return {}


def _put(place: Place, document: Document) -> Document:
    return place.store.put(FILE_SYSTEM, place.key(document["FileSystemId"]), document)


def _find(place: Place, identifier: str) -> Document:
    found = place.store.get(FILE_SYSTEM, place.key(identifier))
    if found is None:
        raise Refused("FileSystemNotFound", f"File system '{identifier}' does not exist.")
    return found
