"""How the addresses of a VPC are divided over its zones."""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

LARGEST, SMALLEST = 16, 20
"""Prefix lengths of a VPC: EC2 allows none larger than /16; below /20 a zone has too few addresses for the
pods of its nodes."""

# Eight private parts: pods get their addresses from them. The last is cut up for the public side.
_PARTS = 3
_PUBLIC_PARTS = 3


@dataclass(frozen=True, slots=True)
class SubnetAddresses:
    """Addresses of one zone."""

    zone: str
    private: str
    public: str | None
    """None in a Local Zone."""


def divided(cidr: IPv4Network, zones: Sequence[str], local: Sequence[str]) -> tuple[SubnetAddresses, ...]:
    """Return the subnets of each zone.

    A zone that comes or goes moves no other: a subnet's addresses cannot be changed. So those of the region's
    zones come from the letters that they end in, and Local Zones count from the back of the VPC.

    Args:
        cidr: of the VPC.
        zones: the region's own.
        local: Local Zones; there is `has_room` for all of them.

    """
    if not has_room(zones, local):
        raise ValueError(f"{', '.join((*zones, *local))} do not fit into {cidr}")
    *parts, last = cidr.subnets(prefixlen_diff=_PARTS)
    public = list(last.subnets(prefixlen_diff=_PUBLIC_PARTS))
    return (
        *(SubnetAddresses(zone, str(parts[_place(zone)]), str(public[_place(zone)])) for zone in zones),
        *(SubnetAddresses(zone, str(parts[-1 - index]), None) for index, zone in enumerate(local)),
    )


def has_room(zones: Sequence[str], local: Sequence[str]) -> bool:
    """Whether a VPC has room for these zones of the region beside these Local Zones."""
    rest = 2**_PARTS - 1 - len(local)
    return rest >= 0 and all(_place(zone) < rest for zone in zones)


def _place(zone: str) -> int:
    return string.ascii_lowercase.index(zone[-1])
