"""GPU node groups: what EC2 and EKS would refuse, and what each becomes."""

from collections.abc import Iterator, Sequence

from components.purchase import CapacityBlock, OnDemand, Purchase, Reservation, Spot
from hardware import InstanceType
from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import AmiType, PlannedNodes
from stacks.plan.infrastructure.zones import Zone, zone_named
from stacks.plan.placement.pools import Pool
from stacks.settings.cluster import (
    CapacityBlockPurchase,
    EksClusterSettings,
    OnDemandPurchase,
    PurchaseSettings,
    ReservationPurchase,
    SpotPurchase,
)
from stacks.settings.stack import NodePoolSettings

_LONGEST_NAME = 63
"""Of a node group (EKS API, CreateNodegroup)."""
_OPTIONS = {
    "onDemand": "on-demand",
    "spot": "spot",
    "reservation": "on-demand",
    "capacityBlock": "capacity-block",
}
_IN_SETTINGS = {"on-demand": "onDemand or reservation", "spot": "spot", "capacity-block": "capacityBlock"}


def pool_problems(
    cluster: EksClusterSettings, typed: Sequence[NodePoolSettings], pools: dict[str, Pool]
) -> Iterator[Problem]:
    """Yield why a pool could not be made in the account."""
    for index, settings in enumerate(typed):
        pool = pools.get(settings.name)
        if pool is None:
            continue
        key = f"nodePools[{index}]"
        yield from _name_problems(cluster, settings, key)
        if settings.zone is None:
            yield _missing(f"{key}.zone", "EFA and file systems end at a zone, so a pool is in one")
        else:
            yield from _zone_problems(cluster, pool.instance_type, settings.zone, f"{key}.zone")
        if settings.purchase is None:
            yield _missing(f"{key}.purchase", "nothing is bought that nobody typed")
        else:
            yield from _purchase_problems(pool.instance_type, settings.purchase, f"{key}.purchase")


def planned_nodes(cluster: EksClusterSettings, settings: NodePoolSettings, pool: Pool) -> PlannedNodes:
    """Return the node group; the settings have no `pool_problems`."""
    if settings.zone is None or settings.purchase is None:
        raise ValueError(f"pool {pool.name} has no zone or no purchase")
    return PlannedNodes(
        name=_group_name(cluster, settings),
        pool=pool.name,
        instance_type=pool.instance_type,
        ami_type=gpu_ami(pool.instance_type),
        nodes=pool.nodes,
        zone=zone_named(settings.zone),
        purchase=_purchase(settings.purchase),
        nvlink_domain_gpus=pool.nvlink_domain_gpus,
        labels=dict(pool.labels),
        tainted=True,
    )


def gpu_ami(instance_type: InstanceType) -> AmiType:
    """Return the image with driver, container toolkit and EFA for the type's architecture."""
    return "AL2023_ARM_64_NVIDIA" if instance_type.cpu_architecture == "arm64" else "AL2023_x86_64_NVIDIA"


def _group_name(cluster: EksClusterSettings, settings: NodePoolSettings) -> str:
    return f"{cluster.name}-{settings.name}"


def _name_problems(cluster: EksClusterSettings, settings: NodePoolSettings, key: str) -> Iterator[Problem]:
    name = _group_name(cluster, settings)
    if len(name) > _LONGEST_NAME:
        message = f"its node group would be called {name}, {len(name)} characters"
        allowed = f"{_LONGEST_NAME} with the cluster's name and a hyphen before it"
        yield Problem(f"{key}.name", settings.name, message, allowed=allowed)


def _zone_problems(
    cluster: EksClusterSettings, instance_type: InstanceType, name: str, key: str
) -> Iterator[Problem]:
    zone = zone_named(name)
    if zone.region != cluster.region:
        message = f"is no zone of cluster.region {cluster.region}"
        yield Problem(key, name, message, suggestion=f"{cluster.region}a, or another region")
        return
    if instance_type.regions and cluster.region not in instance_type.regions:
        yield _region_problem(instance_type, zone, key)
        return
    offered = [each.name for each in instance_type.zones]
    if offered and name not in offered:
        message = f"{instance_type.name} is not offered there"
        yield Problem(key, name, message, allowed=", ".join(offered), suggestion=offered[0])
    elif zone.is_local and not offered:
        message = f"{instance_type.name} is offered in the regions' own zones, not in Local Zones"
        yield Problem(key, name, message, suggestion=f"{cluster.region}a")


def _region_problem(instance_type: InstanceType, zone: Zone, key: str) -> Problem:
    read = instance_type.sources["regions"]
    return Problem(
        key,
        zone.name,
        f"{instance_type.name} was not offered in {zone.region} when EC2 was asked ({read.date})",
        allowed=f"a zone of {', '.join(instance_type.regions)}",
        suggestion="another cluster.region; where EC2 offers it by now, add it to hardware/offers.py",
    )


def _purchase_problems(
    instance_type: InstanceType, purchase: PurchaseSettings, key: str
) -> Iterator[Problem]:
    if _OPTIONS[purchase.kind] not in instance_type.purchase_options:
        allowed = ", ".join(_IN_SETTINGS[option] for option in instance_type.purchase_options)
        message = f"{instance_type.name} is not sold this way"
        yield Problem(f"{key}.kind", purchase.kind, message, allowed=allowed)


def _missing(key: str, why: str) -> Problem:
    return Problem(key, None, f"is missing: {why}")


def _purchase(purchase: PurchaseSettings) -> Purchase:
    match purchase:
        case OnDemandPurchase():
            return OnDemand()
        case SpotPurchase():
            return Spot()
        case ReservationPurchase():
            return Reservation(purchase.id, purchase.placement_group)
        case CapacityBlockPurchase():
            return CapacityBlock(purchase.id, purchase.starts, purchase.phase)


__all__ = ["Zone", "gpu_ami", "planned_nodes", "pool_problems"]
