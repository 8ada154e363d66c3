"""Instance types and Local Zones that moto's tables lack."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

_FOLDER = Path(__file__).resolve().parent.parent.parent / "fixtures" / "aws"


def load(name: str) -> dict[str, Any]:
    """A file of lab/fixtures/aws."""
    return json.loads((_FOLDER / name).read_text(encoding="utf-8"))


@cache
def add_to_moto() -> None:
    """Completes moto's tables, which are of the whole process: once is enough."""
    types = load("instance_types.json")
    regions = {zone["ZoneName"]: zone["RegionName"] for zone in load("local_zones.json")["zones"]}
    for name, description in types["types"].items():
        INSTANCE_TYPES.setdefault(name, description)
    # moto's two lists of zones, by name and by id, come from two accounts, whose names differ.
    for region, zones in RegionsAndZonesBackend.zones.items():
        by_id = INSTANCE_TYPE_OFFERINGS["availability-zone-id"].get(region)
        if by_id:
            INSTANCE_TYPE_OFFERINGS["availability-zone"][region] = _by_name(by_id, zones)
    for offering in types["offerings"]:
        location = offering["Location"]
        region = location if offering["LocationType"] == "region" else regions.get(location, location[:-1])
        known = INSTANCE_TYPE_OFFERINGS[offering["LocationType"]][region]
        if offering not in known:
            known.append(offering)
    for zone in load("local_zones.json")["zones"]:
        known = RegionsAndZonesBackend.zones[zone["RegionName"]]
        if all(item.name != zone["ZoneName"] for item in known):
            known.append(Zone(zone["ZoneName"], zone["RegionName"], zone["ZoneId"], zone["ZoneType"]))


def _by_name(by_id: list[dict[str, Any]], zones: list[Any]) -> list[dict[str, Any]]:
    names = {zone.zone_id: zone.name for zone in zones}
    return [
        {**offering, "Location": names[offering["Location"]], "LocationType": "availability-zone"}
        for offering in by_id
        if offering["Location"] in names
    ]
