"""Zones of AWS and their subnets, as plain data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ZoneSubnets:
    """Addresses of one zone's subnets."""

    zone: str
    """Name, such as us-east-1a or us-east-1-dfw-2a."""
    private: str
    """Subnet of the control plane's interfaces, nodes and pods; in a Local Zone of nodes and pods alone."""
    public: str | None
    """Subnet of NAT gateways and public load balancers; None in a Local Zone, which has neither."""


def zone_group(local_zone: str) -> str:
    """Return what an account opts in to before it sees a Local Zone: us-east-1-dfw-2 for us-east-1-dfw-2a."""
    return local_zone[:-1]
