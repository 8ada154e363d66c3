"""What the GPUs of a pool cost an hour by the way in which they are bought, used or idle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hardware import InstanceType, Source, UltraServer
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.placement.capacity import PlacedPool
from stacks.settings.cluster import CapacityBlock, Purchase, Spot
from stacks.wording import in_words

NAMES = {
    "onDemand": "on demand",
    "spot": "Spot",
    "reservation": "reservation",
    "capacityBlock": "Capacity Block",
}
"""A purchase's kind -> what people call it."""
ON_DEMAND = "on_demand_usd_per_gpu_hour"
CAPACITY_BLOCK = "capacity_block_usd_per_gpu_hour"


@dataclass(frozen=True, slots=True)
class PublishedPrice:
    """What one GPU costs an hour, and who says so since when."""

    usd_per_gpu_hour: float
    source: Source


def published_price(kind: InstanceType, purchase: Purchase | None) -> PublishedPrice | None:
    """Return the price of a type's GPU; None where there is no published price.

    Where nobody says how nodes are bought, it is the price on demand, or else that of Capacity Blocks. Spot
    prices change by the minute; a reservation costs what its instances would, used or not.
    """
    if purchase is None:
        return PublishedPrice(*kind.listed_price) if kind.listed_price else None
    if isinstance(purchase, Spot):
        return None
    field = CAPACITY_BLOCK if isinstance(purchase, CapacityBlock) else ON_DEMAND
    usd: float | None = getattr(kind, field)
    return None if usd is None else PublishedPrice(usd, kind.sources[field])


def idle_gpus(plan: EksPlan, pools: Sequence[PlacedPool]) -> Iterator[str]:
    """Return a sentence for each pool: how many GPUs nobody uses, and what they cost all the same.

    GB200 trays are sold in UltraServers alone: what is bought beyond the pool is idle, too.
    """
    used_gpus = {placed.pool.name: placed.used_gpus for placed in pools}
    for nodes in plan.gpu_nodes:
        pool, kind, used = nodes.pool, nodes.pool.instance_type, used_gpus[nodes.pool.name]
        price = published_price(kind, nodes.purchase)
        rate = price.usd_per_gpu_hour if price else None
        text = f"{pool.name}: {_idle(pool.gpus, used, rate)}"
        sold = least_sold(kind, max(pool.gpus, pool.nvlink_domain_gpus))
        if sold is not None and sold.gpus > pool.gpus:
            beyond = (sold.gpus - pool.gpus) // kind.gpus
            text += (
                f"; {sold.name}, the least that is sold, ${sold.usd_per_hour:,.2f} an hour: "
                f"{_idle(sold.gpus, used, rate)}, {in_words(beyond, 'tray')} outside the pool"
            )
        yield text


def least_sold(kind: InstanceType, gpus: int) -> UltraServer | None:
    """Return the UltraServer that has to be bought for so many GPUs; None where instances are sold alone."""
    return next((unit for unit in kind.ultraservers if unit.gpus >= gpus), None)


def _idle(gpus: int, used: int, rate: float | None) -> str:
    cost = "at no published price" if rate is None else f"${(gpus - used) * rate:,.2f} an hour"
    return f"{gpus - used} of {in_words(gpus, 'GPU')} idle, {cost}"
