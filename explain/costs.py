"""What the GPUs of a stack cost an hour, in sentences, and how old a published price is."""

import datetime as dt
from collections.abc import Iterator, Sequence

from hardware import InstanceType
from stacks.plan.infrastructure.prices import least_sold
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.stack_plan import StackPlan

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
    for placed, _, price in stack.priced_pools():
        if price is None:
            unknown.append(placed.pool.name)
            continue
        total += placed.pool.gpus * price.usd_per_gpu_hour
        idle += placed.free_gpus * price.usd_per_gpu_hour
        notes.append(f"{price.option} price of {aged(price.source.date, today)}")
    if unknown:
        return f"unknown (no price is published for pool {', '.join(unknown)})"
    of_it = [f"${idle:,.2f} of it idle"] if idle else []
    return f"${total:,.2f} an hour ({'; '.join((*of_it, *dict.fromkeys(notes)))})"


def _least_purchases(stack: StackPlan) -> Iterator[str]:
    """Yield the least purchase of each pool that is smaller than what is sold."""
    for placed, _, price in stack.priced_pools():
        sold = least_sold(placed.pool)
        if price and sold and sold.gpus > placed.pool.gpus and placed.used_gpus:
            note = f"{sold.name}, {sold.gpus} GPUs, of which this stack uses {placed.used_gpus}"
            yield f"least purchase ${sold.gpus * price.usd_per_gpu_hour:,.2f} an hour ({note})"


def _offers(instance_type: InstanceType, today: dt.date) -> Iterator[str]:
    for price in instance_type.prices:
        usd, where = price.usd_per_gpu_hour, price.source.text.removeprefix("https://").rstrip("/")
        # UltraServers are sold in Capacity Blocks alone.
        whole = ", ".join(f"{unit.name} ${unit.gpus * usd:,.2f}" for unit in instance_type.ultraservers)
        sold = f"; sold only whole, an hour: {whole}" if whole else ""
        yield f"${usd:,.2f} a GPU-hour, {price.option}{sold} ({where}, {aged(price.source.date, today)})"
