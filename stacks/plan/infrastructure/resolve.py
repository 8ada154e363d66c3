"""From the settings of an EKS cluster to its plan; refuses what AWS would refuse half an hour later."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from stacks.errors import Problem
from stacks.plan.cache_problems import existing_cluster_problems, storage_problems
from stacks.plan.infrastructure.addresses import LARGEST, SMALLEST, divided, has_room
from stacks.plan.infrastructure.plan import (
    AdoptedNetwork,
    AmiType,
    EksPlan,
    PlannedNetwork,
    PlannedSystemNodes,
)
from stacks.plan.infrastructure.pools import planned_nodes, pool_problems
from stacks.plan.infrastructure.zones import Zone, zone_named
from stacks.plan.placement.pools import Pool
from stacks.plan.resolved_cache import made_storage
from stacks.settings.cluster import EksClusterSettings, OwnNetwork
from stacks.settings.stack import StackSettings

_CONTROL_PLANE_ZONES = 2


def eks_problems(
    cluster: EksClusterSettings, settings: StackSettings, pools: dict[str, Pool]
) -> tuple[Problem, ...]:
    """Return why the cluster could not be made as it is typed."""
    return (
        *_network_problems(cluster, settings),
        *pool_problems(cluster, settings.node_pools, pools),
        *storage_problems(cluster, settings),
    )


def existing_problems(settings: StackSettings) -> tuple[Problem, ...]:
    """Return what is typed for a cluster that this stack would have to make."""
    message, hint = "belongs to a cluster that the stack makes, and this one exists", "leave it out"
    return (
        *(
            Problem(f"nodePools[{index}].{name}", getattr(value, "kind", value), message, suggestion=hint)
            for index, pool in enumerate(settings.node_pools)
            for name, value in (("zone", pool.zone), ("purchase", pool.purchase))
            if value is not None
        ),
        *existing_cluster_problems(settings.model_cache),
    )


def eks_plan(cluster: EksClusterSettings, settings: StackSettings, pools: dict[str, Pool]) -> EksPlan:
    """Return the plan; the settings have no `eks_problems`."""
    nodes = tuple(planned_nodes(cluster, typed, pools[typed.name]) for typed in settings.node_pools)
    return EksPlan(
        name=cluster.name,
        account_id=cluster.account_id,
        region=cluster.region,
        version=cluster.version,
        network=_network(cluster, [item.zone for item in nodes]),
        public_cidrs=cluster.public_cidrs,
        administrators=cluster.administrators,
        system_nodes=PlannedSystemNodes(
            name=f"{cluster.name}-system",
            instance_type=cluster.system_nodes.instance_type,
            ami_type=_system_ami(cluster.system_nodes.instance_type),
            nodes=cluster.system_nodes.nodes,
        ),
        gpu_nodes=nodes,
        storage=made_storage(settings),
        monitoring=cluster.monitoring,
        session_manager=cluster.session_manager,
        node_monitoring=cluster.node_monitoring,
        node_repair=cluster.node_repair,
        tags=dict(cluster.tags),
    )


def _system_ami(instance_type: str) -> AmiType:
    # Graviton families carry a g after their generation: m7g, c8gn, r7gd.
    family = instance_type.partition(".")[0].lstrip("abcdefghijklmnopqrstuvwxyz")
    return "AL2023_ARM_64_STANDARD" if "g" in family else "AL2023_x86_64_STANDARD"


def _network_problems(cluster: EksClusterSettings, settings: StackSettings) -> Iterator[Problem]:
    key = "cluster.network"
    network = cluster.network
    named = network.zones if isinstance(network, OwnNetwork) else tuple(network.subnets)
    zones = [zone_named(name) for name in named]
    field = f"{key}.zones" if isinstance(network, OwnNetwork) else f"{key}.subnets"
    for zone in zones:
        if zone.region != cluster.region:
            message = f"is no zone of cluster.region {cluster.region}"
            yield Problem(field, zone.name, message)
    regional = {zone.name for zone in zones if not zone.is_local}
    if len(regional) < _CONTROL_PLANE_ZONES:
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


def _address_problems(network: OwnNetwork, settings: StackSettings) -> Iterator[Problem]:
    key = "cluster.network.cidr"
    try:
        cidr = IPv4Network(network.cidr)
    except ValueError as error:
        yield Problem(key, network.cidr, f"no network: {error}")
        return
    if not LARGEST <= cidr.prefixlen <= SMALLEST or not cidr.is_private:
        message = "cannot be the addresses of the VPC"
        yield Problem(key, network.cidr, message, allowed=f"private, /{LARGEST} to /{SMALLEST}")
    names = dict.fromkeys([*network.zones, *(pool.zone for pool in settings.node_pools if pool.zone)])
    regional = [name for name in names if not zone_named(name).is_local]
    if not has_room(regional, [name for name in names if name not in regional]):
        message = "with those of the pools these are more zones than the VPC has addresses for"
        yield Problem("cluster.network.zones", ", ".join(names), message, allowed="fewer")


def _network(cluster: EksClusterSettings, pool_zones: list[Zone]) -> PlannedNetwork | AdoptedNetwork:
    network = cluster.network
    if not isinstance(network, OwnNetwork):
        control_plane = tuple(sorted(name for name in network.subnets if not zone_named(name).is_local))
        return AdoptedNetwork(network.vpc_id, dict(network.subnets), control_plane)
    named = [zone_named(name) for name in network.zones]
    zones = dict.fromkeys([*named, *pool_zones])
    local = tuple(zone for zone in zones if zone.is_local)
    return PlannedNetwork(
        cidr=network.cidr,
        subnets=divided(
            IPv4Network(network.cidr),
            [zone.name for zone in zones if not zone.is_local],
            [zone.name for zone in local],
        ),
        local=local,
        nat_per_zone=network.nat_per_zone,
        control_plane=tuple(zone.name for zone in named if not zone.is_local),
    )
