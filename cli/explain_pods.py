"""The pods of a graph: how many, what each asks for, and where it runs."""

from collections.abc import Iterator

from rich.table import Table

from cli.output import make_table
from recipes.placed import PlacedRecipe, PlacedService
from recipes.pod_environment import service_workarounds
from stacks.plan.stack_plan import StackPlan
from stacks.wording import in_words


def pods_table(stack: StackPlan) -> Table:
    """Return one row per service."""
    table = make_table("SERVICE", "PODS", "GPUS", "CPU", "MEMORY", "RUNS ON", "NETWORK DEVICES, CLAIMS")
    placed = stack.serving.placed
    for service in placed.services:
        resources = service.resources
        table.add_row(
            service.name,
            str(service.replicas),
            str(service.gpus),
            "" if resources is None else _cpu(resources.cpu_request, resources.cpu_limit),
            "" if resources is None else f"{resources.memory_gib}Gi",
            _runs_on(stack, service),
            _devices(placed, service),
        )
    return table


def workarounds(stack: StackPlan) -> Iterator[str]:
    """Return what keeps the workers away from known defects of the engine, each once."""
    placed = stack.serving.placed
    workers: dict[str, list[str]] = {}
    for worker in placed.workers:
        for item in service_workarounds(placed, worker):
            workers.setdefault(f"{item.name}={item.value}: {item.why} ({item.source})", []).append(
                worker.name
            )
    for text, names in workers.items():
        yield text if len(names) == len(placed.workers) else f"{' and '.join(names)}: {text}"


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
