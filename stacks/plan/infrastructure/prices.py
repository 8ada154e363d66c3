"""What the GPUs of a pool cost an hour by the way in which they are bought, used or idle."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from hardware import InstanceType, Price, PurchaseOption, UltraServer
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.placement.pools import Pool
from stacks.settings.cluster import Purchase
from stacks.wording import in_words

NAMES = {
    "onDemand": "on demand",
    "spot": "Spot",
    "reservation": "reservation",
    "capacityBlock": "Capacity Block",
}
"""A purchase's kind -> what people call it."""
SOLD_AS: Mapping[str, PurchaseOption] = MappingProxyType(
    {
        "onDemand": "on demand",
        "spot": "Spot",
        "reservation": "on demand",
        "capacityBlock": "Capacity Block",
    }
)
"""A purchase's kind -> as what AWS sells it: a reservation costs what its instances would, used or not."""
PricedPool: TypeAlias = tuple[PlacedPool, Purchase | None, Price | None]
"""A pool, how its nodes are bought, and what a GPU of it costs.

A pool of an existing cluster is bought in a way that nobody has said; of some no price is published."""


def published_price(kind: InstanceType, purchase: Purchase | None) -> Price | None:
    """Return the price of a type's GPU; None where there is no published price, as of Spot, by the minute.

    Where nobody says how nodes are bought, it is the price on demand, or else that of Capacity Blocks.
    """
    fitting = (price for price in kind.prices if purchase is None or price.option == SOLD_AS[purchase.kind])
    return next(fitting, None)


def idle_gpus(pools: Iterable[PricedPool]) -> Iterator[tuple[str, Price | None]]:
    """Yield for each pool how many GPUs nobody uses, what they cost all the same, and by which price.

    GB200 trays are sold in UltraServers alone: what is bought beyond the pool is idle, too.
    """
    for placed, _, price in pools:
        pool, used = placed.pool, placed.used_gpus
        text = f"{pool.name}: {_idle(pool.gpus, used, price)}"
        sold = least_sold(pool)
        if price and sold and sold.gpus > pool.gpus:
            beyond = (sold.gpus - pool.gpus) // pool.instance_type.gpus
            text += (
                f"; {sold.name}, the least that is sold, ${sold.gpus * price.usd_per_gpu_hour:,.2f} an hour: "
                f"{_idle(sold.gpus, used, price)}, {in_words(beyond, 'tray')} outside the pool"
            )
        yield text, price


def least_sold(pool: Pool) -> UltraServer | None:
    """Return the UltraServer that has to be bought for a pool; None where instances are sold alone."""
    gpus = max(pool.gpus, pool.nvlink_domain_gpus)
    return next((unit for unit in pool.instance_type.ultraservers if unit.gpus >= gpus), None)


def _idle(gpus: int, used: int, price: Price | None) -> str:
    idle = gpus - used
    cost = f"${idle * price.usd_per_gpu_hour:,.2f} an hour" if price else "at no published price"
    return f"{idle} of {in_words(gpus, 'GPU')} idle, {cost}"
