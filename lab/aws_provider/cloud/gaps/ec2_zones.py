"""Zones with their Local Zone groups, and opting in to a group; moto knows neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.place import ZONE_GROUPS, Place
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.store import Document


@answers("ec2", "DescribeAvailabilityZones")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The region's zones; Local Zones that are not opted in to only where all are asked for."""
    zones = [_described(place, zone) for zone in RegionsAndZonesBackend.zones.get(place.region, [])]
    if not given.get("AllAvailabilityZones"):
        zones = [zone for zone in zones if zone["OptInStatus"] != "not-opted-in"]
    names, ids = given.get("ZoneNames"), given.get("ZoneIds")
    zones = [
        zone
        for zone in zones
        if (not names or zone["ZoneName"] in names) and (not ids or zone["ZoneId"] in ids)
    ]
    for wanted in given.get("Filters", []):
        key = _FILTERS.get(wanted["Name"])
        if key is None:
            raise Refused("InvalidParameterValue", f"The filter '{wanted['Name']}' is invalid")
        zones = [zone for zone in zones if zone.get(key) in wanted["Values"]]
    return {"AvailabilityZones": zones}


@answers("ec2", "ModifyAvailabilityZoneGroup")
def opt_in(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Opts the account in; opting out is AWS's support's work, as the rules say."""
    name = given["GroupName"]
    place.store.put(ZONE_GROUPS, place.key(name), {"GroupName": name, "OptInStatus": given["OptInStatus"]})
    return {"Return": True}


_FILTERS = {
    "group-name": "GroupName",
    "opt-in-status": "OptInStatus",
    "region-name": "RegionName",
    "state": "State",
    "zone-id": "ZoneId",
    "zone-name": "ZoneName",
    "zone-type": "ZoneType",
}


def _described(place: Place, zone: Any) -> Document:
    local = {item["ZoneName"]: item for item in load("local_zones.json")["zones"]}.get(zone.name)
    if local is None:
        return {
            "ZoneName": zone.name,
            "ZoneId": zone.zone_id,
            "RegionName": place.region,
            "GroupName": place.region,
            "NetworkBorderGroup": place.region,
            "ZoneType": "availability-zone",
            "OptInStatus": "opt-in-not-required",
            "State": "available",
        }
    group = local["GroupName"]
    return {
        "ZoneName": zone.name,
        "ZoneId": zone.zone_id,
        "RegionName": place.region,
        "GroupName": group,
        "NetworkBorderGroup": group,
        "ZoneType": "local-zone",
        "ParentZoneName": local["ParentZoneName"],
        "OptInStatus": "opted-in" if place.is_opted_in(group) else "not-opted-in",
        "State": "available",
    }
