"""Capacity reservations and blocks, placement groups and zones, of which moto has nothing or too little."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.place import PLACEMENT_GROUPS, ZONE_GROUPS, Place, now
from lab.aws_provider.cloud.refusal import require
from lab.aws_provider.cloud.registry import answers

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
    hours = given["CapacityDurationHours"]
    count = each * given["UltraserverCount" if unit else "InstanceCount"]
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
    name, key = given["GroupName"], place.key(given["GroupName"])
    says = f"The Placement Group '{name}' already exists."
    require(place.store.get(PLACEMENT_GROUPS, key) is None, "InvalidPlacementGroup.Duplicate", says)
    tags = [tag for each in given.get("TagSpecifications", []) for tag in each["Tags"]]
    document = {
        "GroupName": name,
        "State": "available",
        "Strategy": given["Strategy"],
        "GroupId": f"pg-{uuid.uuid4().hex[:17]}",
        "GroupArn": place.arn("ec2", f"placement-group/{name}"),
        "Tags": tags,
    }
    return {"PlacementGroup": place.store.put(PLACEMENT_GROUPS, key, document)}


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


@answers("ec2", "DescribeAvailabilityZones")
def zones(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The region's zones; Local Zones that are not opted in to only where all are asked for."""
    found = [_described(place, zone) for zone in place.zones().values()]
    if not given.get("AllAvailabilityZones"):
        found = [zone for zone in found if zone["OptInStatus"] != "not-opted-in"]
    for wanted in given.get("Filters", []):
        require(wanted["Name"] == "group-name", "InvalidParameterValue", "No other filter is simulated")
        found = [zone for zone in found if zone["GroupName"] in wanted["Values"]]
    return {"AvailabilityZones": found}


@answers("ec2", "ModifyAvailabilityZoneGroup")
def opt_in(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Opts the account in."""
    place.store.put(ZONE_GROUPS, place.key(given["GroupName"]), given)
    return {"Return": True}


def _require_group(holds: object, name: str) -> None:
    require(holds, "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")


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
