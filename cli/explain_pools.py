"""Node pools: what a stack uses of them, what it leaves idle, and what either costs an hour."""

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from cli.output import make_table
from cli.price_age import aged, today
from components.purchase import Purchase
from hardware import InstanceType, Source
from stacks.plan.infrastructure.prices import NAMES, usd_per_gpu_hour
from stacks.plan.placement.capacity import PlacedPool

_ON_DEMAND = "on_demand_usd_per_gpu_hour"
_CAPACITY_BLOCK = "capacity_block_usd_per_gpu_hour"


def pools_table(pools: Sequence[PlacedPool], purchases: Mapping[str, Purchase]) -> Table:
    """Return one row per pool.

    Args:
        pools: of the stack.
        purchases: how pools are bought that the stack makes itself, by name.

    """
    table = make_table("POOL", "NODES", "GPUS", "USED", "COST", "IDLE", "COST", "PRICED", "NODES IN USE")
    for placed in pools:
        pool = placed.pool
        instance_type, purchase = pool.instance_type, purchases.get(pool.name)
        table.add_row(
            pool.name,
            f"{pool.nodes} x {instance_type.name}",
            f"{pool.gpus} {instance_type.accelerator.name}",
            str(placed.used_gpus),
            _cost(instance_type, purchase, placed.used_gpus),
            str(placed.free_gpus),
            _cost(instance_type, purchase, placed.free_gpus),
            _priced(instance_type, purchase),
            _nodes_in_use(placed),
        )
    return table


def prices(pools: Sequence[PlacedPool]) -> Iterator[str]:
    """Return what a GPU of each instance type costs, what is sold only whole, and since when."""
    types = (placed.pool.instance_type for placed in pools)
    for instance_type in {each.name: each for each in types}.values():
        offers = " or ".join(_offers(instance_type))
        yield f"{instance_type.name}: {offers or 'no published price'}"


def _offers(instance_type: InstanceType) -> Iterator[str]:
    on_demand = instance_type.on_demand_usd_per_gpu_hour
    if on_demand is not None:
        yield f"${on_demand:,.2f} a GPU-hour, on demand ({_source(instance_type.sources[_ON_DEMAND])})"
    block = instance_type.capacity_block_usd_per_gpu_hour
    if block is not None:
        # UltraServers are sold in Capacity Blocks alone, at prices of the same page and date.
        whole = ", ".join(f"{unit.name} ${unit.usd_per_hour:,.2f}" for unit in instance_type.ultraservers)
        sold = f"; sold only whole, an hour: {whole}" if whole else ""
        source = _source(instance_type.sources[_CAPACITY_BLOCK])
        yield f"${block:,.2f} a GPU-hour, Capacity Block{sold} ({source})"


def _source(source: Source) -> str:
    return f"{source.text.removeprefix('https://').rstrip('/')}, {aged(source.date, today())}"


def _cost(instance_type: InstanceType, purchase: Purchase | None, gpus: int) -> str:
    price = instance_type.on_demand_usd_per_gpu_hour or instance_type.capacity_block_usd_per_gpu_hour
    if purchase is not None:
        price = usd_per_gpu_hour(instance_type, purchase)
    return "unknown" if price is None else f"${gpus * price:,.2f}/h"


def _priced(instance_type: InstanceType, purchase: Purchase | None) -> str:
    if purchase is not None:
        return NAMES[purchase.kind]
    if instance_type.on_demand_usd_per_gpu_hour is not None:
        return "on demand"
    return "" if instance_type.capacity_block_usd_per_gpu_hour is None else "Capacity Block"


def _nodes_in_use(placed: PlacedPool) -> str:
    packing = placed.packing
    used = f"{packing.used_nodes} of {placed.pool.nodes}"
    return f"{used}, {packing.exclusive_nodes} exclusive" if packing.exclusive_nodes else used
