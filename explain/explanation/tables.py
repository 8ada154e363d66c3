"""The tables of a stack: node pools with what they cost, and the pods of a graph."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from explain.explanation.price_age import aged
from explain.explanation.section import names_by
from hardware import InstanceType, Source
from recipes.placed import PlacedRecipe, PlacedService
from recipes.pod_environment import service_workarounds
from stacks.plan.infrastructure.prices import NAMES, published_price
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import Purchase
from stacks.wording import in_words

POOL_HEADERS = ("POOL", "NODES", "GPUS", "USED", "COST", "IDLE", "COST", "PRICED", "NODES IN USE")
SERVICE_HEADERS = ("SERVICE", "PODS", "GPUS", "CPU", "MEMORY", "RUNS ON", "NETWORK DEVICES, CLAIMS")
_ON_DEMAND = "on_demand_usd_per_gpu_hour"
_CAPACITY_BLOCK = "capacity_block_usd_per_gpu_hour"


def pool_rows(stack: StackPlan) -> Iterator[Sequence[str]]:
    """Yield the cells of each pool, in the order of POOL_HEADERS."""
    bought = purchases(stack)
    return (_pool_columns(placed, bought.get(placed.pool.name)) for placed in stack.pools)


def service_rows(stack: StackPlan) -> Iterator[Sequence[str]]:
    """Yield the cells of each service, in the order of SERVICE_HEADERS."""
    return (_service_columns(stack, service) for service in stack.serving.placed.services)


def prices(pools: Sequence[PlacedPool], today: dt.date) -> Iterator[str]:
    """Yield what a GPU of each instance type costs, what is sold only whole, and since when."""
    types = (placed.pool.instance_type for placed in pools)
    for instance_type in {each.name: each for each in types}.values():
        offers = " or ".join(_offers(instance_type, today))
        yield f"{instance_type.name}: {offers or 'no price is known'}"


def purchases(stack: StackPlan) -> Mapping[str, Purchase]:
    """Return how the nodes of each pool are bought; a pool of an existing cluster has no entry."""
    groups = stack.infrastructure.gpu_nodes if stack.infrastructure else stack.layers.nodes
    return {nodes.pool.name: nodes.purchase for nodes in groups}


def workarounds(stack: StackPlan) -> Iterator[str]:
    """Yield what keeps the workers away from known defects of the engine, each once."""
    placed = stack.serving.placed
    workers = names_by(
        (f"{item.name}={item.value}: {item.why} ({item.source})", worker.name)
        for worker in placed.workers
        for item in service_workarounds(placed, worker)
    )
    for text, names in workers.items():
        yield text if len(names) == len(placed.workers) else f"{' and '.join(names)}: {text}"


def _pool_columns(placed: PlacedPool, purchase: Purchase | None) -> tuple[str, ...]:
    pool = placed.pool
    instance_type = pool.instance_type
    return (
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


def _service_columns(stack: StackPlan, service: PlacedService) -> tuple[str, ...]:
    resources = service.resources
    return (
        service.name,
        str(service.replicas),
        str(service.gpus),
        "" if resources is None else _cpu(resources.cpu_request, resources.cpu_limit),
        "" if resources is None else f"{resources.memory_gib}Gi",
        _runs_on(stack, service),
        _devices(stack.serving.placed, service),
    )


def _offers(instance_type: InstanceType, today: dt.date) -> Iterator[str]:
    on_demand = instance_type.on_demand_usd_per_gpu_hour
    if on_demand is not None:
        yield f"${on_demand:,.2f} a GPU-hour, on demand ({_source(instance_type.sources[_ON_DEMAND], today)})"
    block = instance_type.capacity_block_usd_per_gpu_hour
    if block is not None:
        # UltraServers are sold in Capacity Blocks alone, at prices of the same page and date.
        whole = ", ".join(f"{unit.name} ${unit.usd_per_hour:,.2f}" for unit in instance_type.ultraservers)
        sold = f"; sold only whole, an hour: {whole}" if whole else ""
        source = _source(instance_type.sources[_CAPACITY_BLOCK], today)
        yield f"${block:,.2f} a GPU-hour, Capacity Block{sold} ({source})"


def _source(source: Source, today: dt.date) -> str:
    return f"{source.text.removeprefix('https://').rstrip('/')}, {aged(source.date, today)}"


def _cost(instance_type: InstanceType, purchase: Purchase | None, gpus: int) -> str:
    price = published_price(instance_type, purchase)
    return "unknown" if price is None else f"${gpus * price.usd_per_gpu_hour:,.2f}/h"


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


def _cpu(request: int, limit: int) -> str:
    return str(request) if request == limit else f"{request} to {limit}"


def _runs_on(stack: StackPlan, service: PlacedService) -> str:
    if service.placement is None:
        return "the workers' nodes" if stack.serving.placed.cache_nodes else "nodes without GPUs"
    [pool] = [each.pool for each in stack.pools if each.pool.name == service.placement.pool]
    return f"pool {pool.name}, {in_words(pool.nodes, 'node')}"


def _devices(placed: PlacedRecipe, service: PlacedService) -> str:
    if service.placement is None:
        return "none"
    devices = [f"{name}: {amount}" for name, amount in service.placement.extended_resources.items()]
    if placed.compute_domain is not None:
        devices.append(f"claim of {placed.compute_domain.claim_template_name} (ComputeDomain)")
    return ", ".join(devices) or "none"
