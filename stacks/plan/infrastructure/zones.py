"""Zones of AWS: the region's own, and Local Zones, which have nodes and little else."""

import re
from dataclasses import dataclass

_LOCAL = re.compile(r"^(?P<region>[a-z]{2}(-[a-z]+)+-[0-9])(?P<place>-[a-z]{3}-[0-9])[a-z]$")
_REGIONAL = re.compile(r"^(?P<region>[a-z]{2}(-[a-z]+)+-[0-9])[a-z]$")


@dataclass(frozen=True, slots=True)
class Zone:
    """One zone by its name, such as us-east-1a or us-east-1-dfw-2a."""

    name: str
    region: str
    group: str | None
    """What an account opts in to, such as us-east-1-dfw-2; None for the region's own zones."""

    @property
    def is_local(self) -> bool:
        """Whether it is a Local Zone: no control plane, no NAT gateway, few kinds of storage."""
        return self.group is not None


def zone_named(name: str) -> Zone:
    """Return the zone.

    Raises:
        ValueError: the name has not the form of a zone's; settings refuse it before.

    """
    local = _LOCAL.match(name)
    if local:
        return Zone(name, local["region"], local["region"] + local["place"])
    regional = _REGIONAL.match(name)
    if regional is None:
        raise ValueError(f"not the name of a zone: {name!r}")
    return Zone(name, regional["region"], None)
