"""Placement groups, which moto does not have."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.place import PLACEMENT_GROUPS
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place


@answers("ec2", "CreatePlacementGroup")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A group that is available at once."""
    identifier = f"pg-{uuid.uuid4().hex[:17]}"
    document = {
        "GroupName": given["GroupName"],
        "State": "available",
        "Strategy": given.get("Strategy", "cluster"),
        "GroupId": identifier,
        "GroupArn": place.arn("ec2", f"placement-group/{given['GroupName']}"),
        "Tags": [
            tag for specification in given.get("TagSpecifications", []) for tag in specification["Tags"]
        ],
    }
    for key in ("PartitionCount", "SpreadLevel"):
        if key in given:
            document[key] = given[key]
    return {"PlacementGroup": place.store.put(PLACEMENT_GROUPS, place.key(given["GroupName"]), document)}


@answers("ec2", "DescribePlacementGroups")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """All, or those named; a name that does not exist is an error."""
    found = place.store.all(PLACEMENT_GROUPS, place.key(""))
    known = {item["GroupName"] for item in found}
    for name in given.get("GroupNames", []):
        if name not in known:
            raise Refused("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
    wanted = set(given.get("GroupNames", known))
    ids = given.get("GroupIds")
    return {
        "PlacementGroups": [
            item for item in found if item["GroupName"] in wanted and (not ids or item["GroupId"] in ids)
        ]
    }


@answers("ec2", "DeletePlacementGroup")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes a group."""
    if place.store.delete(PLACEMENT_GROUPS, place.key(given["GroupName"])) is None:
        raise Refused(
            "InvalidPlacementGroup.Unknown", f"The Placement Group '{given['GroupName']}' is unknown."
        )
    return {}


@answers("ec2", "CreateTags")
def tag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Tags of anything in EC2; those of placement groups are kept here, the others by moto."""
    return _change_tags(place, given, remove=False)


@answers("ec2", "DeleteTags")
def untag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The reverse of CreateTags."""
    return _change_tags(place, given, remove=True)


def _change_tags(place: Place, given: dict[str, Any], *, remove: bool) -> dict[str, Any]:
    # A tag without a value is removed whatever its value is.
    missing = None if remove else ""
    tags = {tag["Key"]: tag.get("Value", missing) for tag in given.get("Tags", [])}
    groups = {item["GroupId"]: item for item in place.store.all(PLACEMENT_GROUPS, place.key(""))}
    for identifier in given["Resources"]:
        if identifier not in groups:
            (place.ec2.delete_tags if remove else place.ec2.create_tags)([identifier], dict(tags))
            continue
        group = groups[identifier]
        kept = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
        left = {key: value for key, value in kept.items() if key not in tags} if remove else kept | tags
        group["Tags"] = [{"Key": key, "Value": value} for key, value in left.items()]
        place.store.put(PLACEMENT_GROUPS, place.key(group["GroupName"]), group)
    return {}
