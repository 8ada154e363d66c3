"""GPUs that are paid for and that no worker uses."""

from collections.abc import Iterator, Sequence

from components.purchase import CapacityBlock
from hardware import InstanceType, Source, UltraServer
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.infrastructure.prices import usd_per_gpu_hour
from stacks.plan.stack_plan import ResolvedPool
from stacks.wording import in_words


def idle_gpus(plan: EksPlan, pools: Sequence[ResolvedPool]) -> Iterator[str]:
    """Return a sentence for each pool: how many GPUs nobody uses, and what they cost all the same.

    GB200 trays are sold in UltraServers alone: what is bought beyond the pool is idle, too.
    """
    by_name = {pool.name: pool for pool in pools}
    for nodes in plan.gpu_nodes:
        pool, kind = by_name[nodes.pool], nodes.instance_type
        rate = usd_per_gpu_hour(kind, nodes.purchase)
        text = f"{pool.name}: {_idle(pool.gpus, pool.used_gpus, rate)}"
        sold = least_sold(kind, max(pool.gpus, nodes.nvlink_domain_gpus))
        if sold is not None and sold.gpus > pool.gpus:
            beyond = (sold.gpus - pool.gpus) // kind.gpus
            text += (
                f"; {sold.name}, the least that is sold, ${sold.usd_per_hour:,.3f} an hour: "
                f"{_idle(sold.gpus, pool.used_gpus, rate)}, {in_words(beyond, 'tray')} outside the pool"
            )
        yield text


def price_source(nodes: PlannedNodes) -> Source | None:
    """Return who publishes the price and since when; None where there is none."""
    kind = nodes.instance_type
    if usd_per_gpu_hour(kind, nodes.purchase) is None:
        return None
    block = isinstance(nodes.purchase, CapacityBlock)
    return kind.sources["capacity_block_usd_per_gpu_hour" if block else "on_demand_usd_per_gpu_hour"]


def least_sold(kind: InstanceType, gpus: int) -> UltraServer | None:
    """Return the UltraServer that has to be bought for so many GPUs; None where instances are sold alone."""
    return next((unit for unit in kind.ultraservers if unit.gpus >= gpus), None)


def _idle(gpus: int, used: int, rate: float | None) -> str:
    cost = "at no published price" if rate is None else f"${(gpus - used) * rate:,.2f} an hour"
    return f"{gpus - used} of {in_words(gpus, 'GPU')} idle, {cost}"
