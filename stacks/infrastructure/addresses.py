"""How the addresses of a VPC are divided over its zones."""

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

    A zone that is added at the end of its list moves no other: a subnet's addresses cannot be changed. So the
    region's zones count from the front of the VPC and Local Zones from its back.

    Args:
        cidr: of the VPC.
        zones: the region's own.
        local: Local Zones; all in all at most `most_zones()`.

    """
    *parts, last = cidr.subnets(prefixlen_diff=_PARTS)
    if len(zones) + len(local) > len(parts):
        raise ValueError(f"{len(zones) + len(local)} zones do not fit into {cidr}")
    public = list(last.subnets(prefixlen_diff=_PUBLIC_PARTS))
    own = [SubnetAddresses(zone, str(parts[index]), str(public[index])) for index, zone in enumerate(zones)]
    return (
        *own,
        *(SubnetAddresses(zone, str(parts[-1 - index]), None) for index, zone in enumerate(local)),
    )


def most_zones() -> int:
    """How many zones a VPC has room for."""
    return 2**_PARTS - 1
