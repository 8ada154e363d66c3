"""An account in a region: what rules and handlers look things up in."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from moto.backends import get_backend
from moto.core.exceptions import ServiceException
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

from lab.aws_provider.cloud.settings import Settings

if TYPE_CHECKING:
    from lab.aws_provider.cloud.store import Document, Store

PLACEMENT_GROUPS = "placement-groups"
ZONE_GROUPS = "zone-groups"
_backends_of: Any = get_backend
"""Typed by each service's literal name alone."""


def now() -> dt.datetime:
    """This machine's time as AWS writes it, in UTC and without a zone: when something was made."""
    return dt.datetime.now(dt.UTC).replace(tzinfo=None, microsecond=0)


@dataclass(frozen=True)
class Place:
    """One region of the account."""

    region: str
    store: Store
    settings: Settings = field(default_factory=Settings)

    @property
    def account(self) -> str:
        """The account's number."""
        return self.settings.account

    def now(self) -> dt.datetime:
        """The account's time, by which windows open and end, in UTC and without a zone."""
        return self.settings.now()

    def moto(self, service: str) -> Any:
        """moto's backend of a service in this region; IAM is global."""
        return _backends_of(service)[self.account]["aws" if service == "iam" else self.region]

    def key(self, *parts: str) -> str:
        """A key of the store for something of this region."""
        return "/".join((self.region, *parts))

    def arn(self, service: str, resource: str) -> str:
        """The ARN of something of this region."""
        return f"arn:aws:{service}:{self.region}:{self.account}:{resource}"

    def subnet(self, identifier: str) -> Any | None:
        """moto's subnet (availability_zone, vpc_id), or None."""
        try:
            return self.moto("ec2").get_subnet(identifier)
        except ServiceException:
            return None

    def security_group(self, identifier: str) -> Any | None:
        """moto's security group, or None."""
        return self.moto("ec2").get_security_group_from_id(identifier)

    def zone(self, name: str) -> Any | None:
        """moto's zone, or None where the region has none of that name."""
        zones = RegionsAndZonesBackend.zones.get(self.region, [])
        return next((zone for zone in zones if zone.name == name), None)

    def zones(self) -> list[Any]:
        """moto's zones of the region's own, without Local Zones."""
        zones = RegionsAndZonesBackend.zones.get(self.region, [])
        return [zone for zone in zones if not self.is_local_zone(zone.name)]

    def is_local_zone(self, name: str) -> bool:
        """Whether a zone is a Local Zone, away from the region's own."""
        zone = self.zone(name)
        return zone is not None and zone.zone_type == "local-zone"

    def is_opted_in(self, group: str) -> bool:
        """Whether the account sees the zones of a Local Zone group."""
        document = self.store.get(ZONE_GROUPS, self.key(group))
        return document is not None and document["OptInStatus"] == "opted-in"

    def instance_type(self, name: str) -> Document | None:
        """A type as DescribeInstanceTypes has it, or None."""
        return INSTANCE_TYPES.get(name)

    def offering_zones(self, instance_type: str) -> set[str]:
        """The zones of this region that offer a type."""
        offered = INSTANCE_TYPE_OFFERINGS["availability-zone"].get(self.region, [])
        return {item["Location"] for item in offered if item["InstanceType"] == instance_type}

    def launch_template(self, specification: dict[str, Any]) -> Any | None:
        """moto's template of a specification by id or name, or None."""
        identifier, name = specification.get("id"), specification.get("name")
        templates = self.moto("ec2").launch_templates.values()
        return next((item for item in templates if item.id == identifier or item.name == name), None)

    def launch_template_data(self, specification: dict[str, Any]) -> Document | None:
        """The content of a specification's version, $Default where it names none; None if missing."""
        template = self.launch_template(specification)
        if template is None:
            return None
        try:
            data = template.get_version(specification.get("version") or "$Default").data
        except (ServiceException, ValueError):
            return None
        return {key: value for key, value in data.items() if value}

    def placement_group(self, name: str) -> Document | None:
        """A placement group as EC2 describes it, or None; that of a reservation is there with it."""
        found = self.store.get(PLACEMENT_GROUPS, self.key(name))
        named = {item.get("PlacementGroupArn", "").rpartition("/")[2] for item in self.reservations()}
        return found or ({"GroupName": name, "Strategy": "cluster"} if name in named else None)

    def reservations(self) -> list[Document]:
        """The capacity reservations of the account here, which the lab puts there."""
        path = self.settings.reservations
        given = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else []
        return [item for item in given if item["AvailabilityZone"].startswith(self.region)]

    def reservation(self, identifier: str) -> Document | None:
        """One of reservations(), by its id."""
        found = (item for item in self.reservations() if item["CapacityReservationId"] == identifier)
        return next(found, None)

    def target(self, data: Document) -> str:
        """The reservation that a launch template's content names; empty where it names none."""
        specification = data.get("CapacityReservationSpecification") or {}
        return (specification.get("CapacityReservationTarget") or {}).get("CapacityReservationId", "")
