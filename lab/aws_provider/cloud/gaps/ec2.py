"""Capacity reservations and blocks, placement groups and zones, of which moto has nothing or too little."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.place import PLACEMENT_GROUPS, ZONE_GROUPS, Place, now
from lab.aws_provider.cloud.refusal import require

if TYPE_CHECKING:
    from lab.aws_provider.cloud.store import Document

# What a GPU costs an hour in a block is no subject of the simulation; the field must be there.
_FEE_PER_INSTANCE_HOUR = 100.0
_ULTRASERVERS = {"u-p6e-gb200x36": ("p6e-gb200.36xlarge", 9), "u-p6e-gb200x72": ("p6e-gb200.36xlarge", 18)}
"""Type -> its instances (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html)."""


@answers("ec2", "DescribeCapacityReservations")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Those named; an id that does not exist is an error."""
    found = {item["CapacityReservationId"]: item for item in place.reservations()}
    wanted = given["CapacityReservationIds"]
    for identifier in wanted:
        require(
            identifier in found,
            "InvalidCapacityReservationId.NotFound",
            f"The capacity reservation '{identifier}' does not exist.",
        )
    return {"CapacityReservations": [found[identifier] for identifier in wanted]}


@answers("ec2", "DescribeCapacityBlockOfferings")
def offerings(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """One offering, from tomorrow, in the first zone that has the type."""
    unit = given.get("UltraserverType")
    name, each = _ULTRASERVERS[unit] if unit else (given.get("InstanceType", ""), 1)
    zones = sorted(place.offering_zones(name))
    hours, count = (
        given["CapacityDurationHours"],
        each * given["UltraserverCount" if unit else "InstanceCount"],
    )
    start = now().replace(hour=11, minute=30, second=0) + dt.timedelta(days=1)
    offering = {
        "CapacityBlockOfferingId": f"cb-{uuid.uuid4().hex[:17]}",
        "InstanceType": name,
        "AvailabilityZone": next(iter(zones), None),
        "InstanceCount": count,
        "StartDate": start,
        "EndDate": start + dt.timedelta(hours=hours),
        "CapacityBlockDurationHours": hours,
        "UpfrontFee": f"{_FEE_PER_INSTANCE_HOUR * hours * count:.4f}",
        "CurrencyCode": "USD",
    }
    return {"CapacityBlockOfferings": [offering] if zones else []}


@answers("ec2", "CreatePlacementGroup")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A group that is available at once."""
    name = given["GroupName"]
    document = {
        "GroupName": name,
        "State": "available",
        "Strategy": given.get("Strategy", "cluster"),
        "GroupId": f"pg-{uuid.uuid4().hex[:17]}",
        "GroupArn": place.arn("ec2", f"placement-group/{name}"),
        "Tags": [tag for each in given.get("TagSpecifications", []) for tag in each["Tags"]],
    }
    return {"PlacementGroup": place.store.put(PLACEMENT_GROUPS, place.key(name), document)}


@answers("ec2", "DescribePlacementGroups")
def placement_groups(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """All, or those named; a name that does not exist is an error."""
    found = {item["GroupName"]: item for item in place.store.all(PLACEMENT_GROUPS, place.key(""))}
    for name in given.get("GroupNames", []):
        _require_group(name in found, name)
    return {"PlacementGroups": [found[name] for name in given.get("GroupNames") or found]}


@answers("ec2", "DeletePlacementGroup")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes a group."""
    name = given["GroupName"]
    _require_group(place.store.delete(PLACEMENT_GROUPS, place.key(name)), name)
    return {}


@answers("ec2", "CreateTags")
def tag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Tags of anything in EC2; those of placement groups are kept here, the others by moto."""
    return _change_tags(place, given, remove=False)


@answers("ec2", "DeleteTags")
def untag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The reverse of CreateTags."""
    return _change_tags(place, given, remove=True)


@answers("ec2", "DescribeAvailabilityZones")
def zones(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The region's zones; Local Zones that are not opted in to only where all are asked for."""
    found = [_described(place, zone) for zone in RegionsAndZonesBackend.zones.get(place.region, [])]
    if not given.get("AllAvailabilityZones"):
        found = [zone for zone in found if zone["OptInStatus"] != "not-opted-in"]
    for wanted in given.get("Filters", []):
        name = wanted["Name"]
        require(name == "group-name", "InvalidParameterValue", f"The filter '{name}' is invalid")
        found = [zone for zone in found if zone["GroupName"] in wanted["Values"]]
    return {"AvailabilityZones": found}


@answers("ec2", "ModifyAvailabilityZoneGroup")
def opt_in(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Opts the account in; opting out is AWS's support's work, as the rules say."""
    document = {key: given[key] for key in ("GroupName", "OptInStatus")}
    place.store.put(ZONE_GROUPS, place.key(given["GroupName"]), document)
    return {"Return": True}


def _require_group(holds: object, name: str) -> None:
    require(holds, "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")


def _change_tags(place: Place, given: dict[str, Any], *, remove: bool) -> dict[str, Any]:
    # A tag without a value is removed whatever its value is.
    missing = None if remove else ""
    tags = {tag["Key"]: tag.get("Value", missing) for tag in given["Tags"]}
    groups = {item["GroupId"]: item for item in place.store.all(PLACEMENT_GROUPS, place.key(""))}
    for identifier in given["Resources"]:
        if identifier not in groups:
            moto = place.moto("ec2")
            (moto.delete_tags if remove else moto.create_tags)([identifier], dict(tags))
            continue
        group = groups[identifier]
        added = [] if remove else [{"Key": key, "Value": value} for key, value in tags.items()]
        group["Tags"] = [each for each in group["Tags"] if each["Key"] not in tags] + added
        place.store.put(PLACEMENT_GROUPS, place.key(group["GroupName"]), group)
    return {}


def _described(place: Place, zone: Any) -> Document:
    local = {item["ZoneName"]: item for item in load("local_zones.json")["zones"]}.get(zone.name)
    group, status, parent = place.region, "opt-in-not-required", {}
    if local is not None:
        group, parent = local["GroupName"], {"ParentZoneName": local["ParentZoneName"]}
        status = "opted-in" if place.is_opted_in(group) else "not-opted-in"
    return {
        "ZoneName": zone.name,
        "ZoneId": zone.zone_id,
        "RegionName": place.region,
        "GroupName": group,
        "NetworkBorderGroup": group,
        "ZoneType": "local-zone" if local else "availability-zone",
        "OptInStatus": status,
        "State": "available",
        **parent,
    }
