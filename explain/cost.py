"""What the GPUs of a stack cost an hour, in sentences."""

import datetime as dt
from collections.abc import Iterator

from explain.explanation.price_age import aged
from explain.explanation.tables import purchases
from hardware import InstanceType
from stacks.plan.infrastructure.prices import PublishedPrice, least_sold, published_price
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import CapacityBlock, Purchase


def gpu_cost(stack: StackPlan, today: dt.date) -> str:
    """Return what the GPUs cost an hour, and the least that is sold of them where that is more."""
    return "; ".join((_cost(stack, today), *_least_purchases(stack)))


def _cost(stack: StackPlan, today: dt.date) -> str:
    bought = purchases(stack)
    prices = {
        each.pool.name: published_price(each.pool.instance_type, bought.get(each.pool.name))
        for each in stack.pools
    }
    known = [(each, price) for each in stack.pools if (price := prices[each.pool.name]) is not None]
    if len(known) < len(stack.pools):
        unknown = [each.pool.name for each in stack.pools if prices[each.pool.name] is None]
        return f"unknown (no price is published for pool {', '.join(unknown)})"
    total = sum(each.pool.gpus * price.usd_per_gpu_hour for each, price in known)
    idle = sum(each.free_gpus * price.usd_per_gpu_hour for each, price in known)
    notes = [f"${idle:,.2f} of it idle"] if idle else []
    notes += [
        _priced(each.pool.instance_type, bought.get(each.pool.name), price, today) for each, price in known
    ]
    return f"${total:,.2f} an hour ({'; '.join(dict.fromkeys(notes))})"


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
