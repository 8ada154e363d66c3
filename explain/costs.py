"""What the GPUs of a stack cost an hour, in sentences, and how old a published price is."""

import datetime as dt
from collections.abc import Iterator, Sequence

from hardware import InstanceType, Source
from stacks.plan.infrastructure.prices import CAPACITY_BLOCK, ON_DEMAND, PublishedPrice, least_sold
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import CapacityBlock, Purchase

_QUARTER = dt.timedelta(days=92)
"""After which AWS sets the rates of Capacity Blocks anew
(https://aws.amazon.com/ec2/capacityblocks/pricing/)."""


def gpu_cost(stack: StackPlan, today: dt.date) -> str:
    """Return what the GPUs cost an hour, and the least that is sold of them where that is more."""
    return "; ".join((_cost(stack, today), *_least_purchases(stack)))


def prices(pools: Sequence[PlacedPool], today: dt.date) -> Iterator[str]:
    """Yield what a GPU of each instance type costs, what is sold only whole, and since when."""
    types = (placed.pool.instance_type for placed in pools)
    for instance_type in {each.name: each for each in types}.values():
        offers = " or ".join(_offers(instance_type, today))
        yield f"{instance_type.name}: {offers or 'no price is known'}"


def aged(date: str, today: dt.date) -> str:
    """Return the date of a price, and that it is more than a quarter old today where it is.

    The first day counts of a month or a year.
    """
    year, month, day = (*(int(part) for part in date.split("-")), 1, 1)[:3]
    old = today - dt.date(year, month, day) > _QUARTER
    return f"{date}, more than a quarter old" if old else date


def _cost(stack: StackPlan, today: dt.date) -> str:
    total = idle = 0.0
    unknown: list[str] = []
    notes: list[str] = []
    for placed, purchase, price in stack.priced_pools():
        if price is None:
            unknown.append(placed.pool.name)
            continue
        total += placed.pool.gpus * price.usd_per_gpu_hour
        idle += placed.free_gpus * price.usd_per_gpu_hour
        notes.append(_priced(placed.pool.instance_type, purchase, price, today))
    if unknown:
        return f"unknown (no price is published for pool {', '.join(unknown)})"
    of_it = [f"${idle:,.2f} of it idle"] if idle else []
    return f"${total:,.2f} an hour ({'; '.join((*of_it, *dict.fromkeys(notes)))})"


def _least_purchases(stack: StackPlan) -> Iterator[str]:
    """Yield the least purchase of each pool that is smaller than what is sold."""
    for placed in stack.pools:
        pool = placed.pool
        sold = least_sold(pool.instance_type, max(pool.gpus, pool.nvlink_domain_gpus))
        if sold is not None and sold.gpus > pool.gpus and placed.used_gpus:
            note = f"{sold.name}, {sold.gpus} GPUs, of which this stack uses {placed.used_gpus}"
            yield f"least purchase ${sold.usd_per_hour:,.2f} an hour ({note})"


def _priced(kind: InstanceType, purchase: Purchase | None, price: PublishedPrice, today: dt.date) -> str:
    block = isinstance(purchase, CapacityBlock)
    block = block or (purchase is None and kind.on_demand_usd_per_gpu_hour is None)
    return f"{'Capacity Block' if block else 'on demand'} price of {aged(price.source.date, today)}"


def _offers(instance_type: InstanceType, today: dt.date) -> Iterator[str]:
    on_demand = instance_type.on_demand_usd_per_gpu_hour
    if on_demand is not None:
        yield f"${on_demand:,.2f} a GPU-hour, on demand ({_source(instance_type.sources[ON_DEMAND], today)})"
    block = instance_type.capacity_block_usd_per_gpu_hour
    if block is not None:
        # UltraServers are sold in Capacity Blocks alone, at prices of the same page and date.
        whole = ", ".join(f"{unit.name} ${unit.usd_per_hour:,.2f}" for unit in instance_type.ultraservers)
        sold = f"; sold only whole, an hour: {whole}" if whole else ""
        source = _source(instance_type.sources[CAPACITY_BLOCK], today)
        yield f"${block:,.2f} a GPU-hour, Capacity Block{sold} ({source})"


def _source(source: Source, today: dt.date) -> str:
    return f"{source.text.removeprefix('https://').rstrip('/')}, {aged(source.date, today)}"
