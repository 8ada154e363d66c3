"""The network of a planned cluster: what AWS would refuse, and how its addresses are divided over zones."""

import string
from collections.abc import Collection, Iterator, Sequence
from ipaddress import IPv4Network

from hardware import is_local_zone
from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import ZoneSubnets, region_of
from stacks.settings.cluster import EksClusterSettings, OwnNetwork
from stacks.settings.stack import StackSettings

_CONTROL_PLANE_ZONES = 2
_LARGEST, _SMALLEST = 16, 20
"""Prefix lengths of a VPC: EC2 allows none larger than /16; below /20 a zone has too few addresses for the
pods of its nodes."""

# Eight private parts: pods get their addresses from them. The last is cut up for the public side.
_PARTS = 3
_PUBLIC_PARTS = 3


def network_problems(cluster: EksClusterSettings, settings: StackSettings) -> Iterator[Problem]:
    """Yield why the VPC could not carry the cluster."""
    network = cluster.network
    if isinstance(network, OwnNetwork):
        field, named = "cluster.network.zones", network.zones
    else:
        field, named = "cluster.network.subnets", tuple(network.subnets)
    for zone in named:
        if region_of(zone) != cluster.region:
            yield Problem(field, zone, f"is no zone of cluster.region {cluster.region}")
    if len({zone for zone in named if not is_local_zone(zone)}) < _CONTROL_PLANE_ZONES:
        message = "EKS puts the control plane into two of the region's own zones, never into a Local Zone"
        yield Problem(field, ", ".join(named), message, allowed="two zones of the region or more")
    if isinstance(network, OwnNetwork):
        yield from _address_problems(network, settings)
        return
    for index, pool in enumerate(settings.node_pools):
        if pool.zone is not None and pool.zone not in named:
            message = f"{field} names no subnet there, so its nodes would have no network"
            allowed = ", ".join(named)
            yield Problem(f"nodePools[{index}].zone", pool.zone, message, allowed=allowed)


def planned_subnets(cluster: EksClusterSettings, pool_zones: Sequence[str]) -> tuple[ZoneSubnets, ...]:
    """Return the subnets of a VPC to make; none of one that exists. There are no `network_problems`."""
    network = cluster.network
    if not isinstance(network, OwnNetwork):
        return ()
    return divided(IPv4Network(network.cidr), dict.fromkeys([*network.zones, *pool_zones]))


def divided(cidr: IPv4Network, zones: Collection[str]) -> tuple[ZoneSubnets, ...]:
    """Return the subnets of each zone of the region, then those of each Local Zone.

    A subnet's addresses cannot be changed, so a zone that comes or goes must move no other zone: a zone of
    the region has the part of its last letter, and Local Zones count from the back of the VPC.
    """
    *parts, last = cidr.subnets(prefixlen_diff=_PARTS)
    public = list(last.subnets(prefixlen_diff=_PUBLIC_PARTS))
    local = [zone for zone in zones if is_local_zone(zone)]
    regional = [(zone, _place(zone)) for zone in zones if zone not in local]
    return (
        *(ZoneSubnets(zone, str(parts[place]), str(public[place])) for zone, place in regional),
        *(ZoneSubnets(zone, str(parts[-1 - index]), None) for index, zone in enumerate(local)),
    )


def _address_problems(network: OwnNetwork, settings: StackSettings) -> Iterator[Problem]:
    key = "cluster.network.cidr"
    try:
        cidr = IPv4Network(network.cidr)
        is_possible = _LARGEST <= cidr.prefixlen <= _SMALLEST and cidr.is_private
    except ValueError:
        # Such as 10.0.0.1/16, which is an address in a network.
        is_possible = False
    if not is_possible:
        message = "cannot be the addresses of the VPC"
        allowed = f"a private network, /{_LARGEST} to /{_SMALLEST}, by its first address"
        yield Problem(key, network.cidr, message, allowed=allowed)
    names = dict.fromkeys([*network.zones, *(pool.zone for pool in settings.node_pools if pool.zone)])
    regional = [name for name in names if not is_local_zone(name)]
    # The last part is the public side's, those before it the Local Zones'.
    rest = 2**_PARTS - 1 - (len(names) - len(regional))
    if any(_place(zone) >= rest for zone in regional):
        message = "with those of the pools these are more zones than the VPC has addresses for"
        yield Problem("cluster.network.zones", ", ".join(names), message, allowed="fewer")


def _place(zone: str) -> int:
    return string.ascii_lowercase.index(zone[-1])
