"""An account in a region: what rules and handlers look things up in."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from moto.backends import get_backend
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

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

    def moto(self, service: str) -> Any:
        """moto's backend of a service in this region; IAM is global."""
        return _backends_of(service)[self.settings.account]["aws" if service == "iam" else self.region]

    def key(self, *parts: str) -> str:
        """A key of the store for something of this region."""
        return "/".join((self.region, *parts))

    def arn(self, service: str, resource: str) -> str:
        """The ARN of something of this region."""
        return f"arn:aws:{service}:{self.region}:{self.settings.account}:{resource}"

    def subnet(self, identifier: str) -> Any:
        """moto's subnet (availability_zone, vpc_id). Raises ServiceException where there is none."""
        return self.moto("ec2").get_subnet(identifier)

    def zones(self) -> dict[str, Any]:
        """moto's zones of the region by name, its Local Zones among them."""
        return {zone.name: zone for zone in RegionsAndZonesBackend.zones.get(self.region, [])}

    def is_local_zone(self, name: str) -> bool:
        """Whether a zone is a Local Zone, away from the region's own."""
        return self.zones()[name].zone_type == "local-zone"

    def is_opted_in(self, group: str) -> bool:
        """Whether the account sees the zones of a Local Zone group."""
        document = self.store.get(ZONE_GROUPS, self.key(group))
        return document is not None and document["OptInStatus"] == "opted-in"

    def offering_zones(self, instance_type: str) -> set[str]:
        """The zones of this region that offer a type."""
        offered = INSTANCE_TYPE_OFFERINGS["availability-zone"].get(self.region, [])
        return {item["Location"] for item in offered if item["InstanceType"] == instance_type}

    def content(self, node_group: Document) -> Document:
        """What the launch template of a node group says, $Default where no version is named."""
        named = node_group.get("launchTemplate", {})
        template = self.moto("ec2").launch_templates.get(named.get("id"))
        if template is None:
            return {}
        data = template.get_version(named.get("version", "$Default")).data
        return {key: value for key, value in data.items() if value}

    def has_placement_group(self, name: str) -> bool:
        """Whether there is one of this name; that of a reservation is there with it."""
        named = {item.get("PlacementGroupArn", "").rpartition("/")[2] for item in self.reservations()}
        return name in named or self.store.get(PLACEMENT_GROUPS, self.key(name)) is not None

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
