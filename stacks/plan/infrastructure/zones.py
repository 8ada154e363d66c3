"""Zones of AWS: the region's own, and Local Zones, which have nodes and little else."""

import re
from dataclasses import dataclass

from hardware import is_local_zone

_NAME = re.compile(r"^(?P<region>[a-z]{2}(-[a-z]+)+-[0-9])(-[a-z]{3}-[0-9])?[a-z]$")


@dataclass(frozen=True, slots=True)
class Zone:
    """One zone by its name, such as us-east-1a or us-east-1-dfw-2a."""

    name: str
    region: str
    is_local: bool
    """A Local Zone: no control plane, no NAT gateway, few kinds of storage."""


def zone_named(name: str) -> Zone:
    """Return the zone.

    Raises:
        ValueError: the name has not the form of a zone's; settings refuse it before.

    """
    found = _NAME.match(name)
    if found is None:
        raise ValueError(f"not the name of a zone: {name!r}")
    return Zone(name, found["region"], is_local=is_local_zone(name))
