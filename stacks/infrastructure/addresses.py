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
    """Return the subnets of each zone, always the same for the same order of zones.

    A zone that is added at the end moves no other: a subnet's addresses cannot be changed.

    Args:
        cidr: of the VPC.
        zones: the region's own, seven at most with the local ones.
        local: Local Zones.

    """
    parts = list(cidr.subnets(prefixlen_diff=_PARTS))
    public = list(parts[-1].subnets(prefixlen_diff=_PUBLIC_PARTS))
    names = [*zones, *local]
    if len(names) >= len(parts):
        raise ValueError(f"{len(names)} zones do not fit into {cidr}")
    return tuple(
        SubnetAddresses(zone, str(parts[index]), str(public[index]) if zone in zones else None)
        for index, zone in enumerate(names)
    )
