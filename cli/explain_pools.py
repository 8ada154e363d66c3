"""Node pools: what a stack uses of them, what it leaves idle, and what either costs an hour."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from cli.output import make_table
from hardware import InstanceType
from stacks.resolved import ResolvedPool

_ON_DEMAND = "on_demand_usd_per_gpu_hour"
_CAPACITY_BLOCK = "capacity_block_usd_per_gpu_hour"


def pools_table(pools: Sequence[ResolvedPool]) -> Table:
    """Return one row per pool."""
    table = make_table("POOL", "NODES", "GPUS", "USED", "COST", "IDLE", "COST", "PRICED", "NODES IN USE")
    for pool in pools:
        instance_type = pool.instance_type
        table.add_row(
            pool.name,
            f"{pool.nodes} x {instance_type.name}",
            f"{pool.gpus} {instance_type.accelerator.name}",
            str(pool.used_gpus),
            _cost(instance_type, pool.used_gpus),
            str(pool.free_gpus),
            _cost(instance_type, pool.free_gpus),
            _priced(instance_type),
            _nodes_in_use(pool),
        )
    return table


def prices(pools: Sequence[ResolvedPool]) -> Iterator[str]:
    """Return what a GPU of each instance type costs, since when, and in which unit it is sold."""
    for instance_type in {pool.instance_type.name: pool.instance_type for pool in pools}.values():
        offers = [
            f"${price:,.2f} a GPU-hour {how} ({instance_type.sources[field].date})"
            for price, how, field in (
                (instance_type.on_demand_usd_per_gpu_hour, "on demand", _ON_DEMAND),
                (instance_type.capacity_block_usd_per_gpu_hour, "in a Capacity Block", _CAPACITY_BLOCK),
            )
            if price is not None
        ]
        units = ", ".join(f"{unit.name} ${unit.usd_per_hour:,.2f}" for unit in instance_type.ultraservers)
        sold = f"; sold only whole, an hour: {units}" if units else ""
        yield f"{instance_type.name}: {' or '.join(offers) or 'no published price'}{sold}"


def _cost(instance_type: InstanceType, gpus: int) -> str:
    price = instance_type.on_demand_usd_per_gpu_hour or instance_type.capacity_block_usd_per_gpu_hour
    return "unknown" if price is None else f"${gpus * price:,.2f}/h"


def _priced(instance_type: InstanceType) -> str:
    if instance_type.on_demand_usd_per_gpu_hour is not None:
        return "on demand"
    return "" if instance_type.capacity_block_usd_per_gpu_hour is None else "Capacity Block"


def _nodes_in_use(pool: ResolvedPool) -> str:
    used = f"{pool.used_nodes} of {pool.nodes}"
    return f"{used}, {pool.exclusive_nodes} exclusive" if pool.exclusive_nodes else used
