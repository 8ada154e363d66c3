"""The tables of a stack: node pools with what they cost, and the pods of a graph."""

from collections.abc import Iterator, Mapping

from pydantic.dataclasses import dataclass

from explain.explanation.section import EXPLAINED
from recipes.placed import PlacedService
from recipes.pod_environment import process_workarounds
from rules.reading.shapes import grouped
from stacks.plan.infrastructure.prices import NAMES
from stacks.plan.stack_plan import StackPlan
from stacks.wording import in_words

POOL_HEADERS = ("POOL", "NODES", "GPUS", "USED", "COST", "IDLE", "COST", "PRICED", "NODES IN USE")
SERVICE_HEADERS = ("SERVICE", "PODS", "GPUS", "CPU", "MEMORY", "RUNS ON", "NETWORK DEVICES, CLAIMS")


@dataclass(frozen=True, slots=True, kw_only=True, config=EXPLAINED)
class ExplainedPool:
    """One pool of GPU nodes."""

    name: str
    machine: str
    """EC2 instance type, or the name of a described node."""
    accelerator: str
    nodes: int
    used_nodes: int
    exclusive_nodes: int
    """Of the used: how many hold one pod alone, whatever else would fit."""
    gpus: int
    """GPUs of all nodes together."""
    used_gpus: int
    """GPUs that the stack's workers ask for."""
    idle_gpus: int
    usd_per_gpu_hour: float | None
    """Published US dollars for one GPU an hour; null where no price is published."""
    priced: str
    """As what it is bought, or else as what a price of it is published; empty where there is none."""

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row under POOL_HEADERS."""
        used = f"{self.used_nodes} of {self.nodes}"
        return (
            *(self.name, f"{self.nodes} x {self.machine}", f"{self.gpus} {self.accelerator}"),
            *(str(self.used_gpus), self._cost(self.used_gpus)),
            *(str(self.idle_gpus), self._cost(self.idle_gpus), self.priced),
            f"{used}, {self.exclusive_nodes} exclusive" if self.exclusive_nodes else used,
        )

    def _cost(self, gpus: int) -> str:
        return "unknown" if self.usd_per_gpu_hour is None else f"${gpus * self.usd_per_gpu_hour:,.2f}/h"


@dataclass(frozen=True, slots=True, kw_only=True, config=EXPLAINED)
class ExplainedService:
    """One service of the graph."""

    name: str
    role: str
    replicas: int
    gpus: int
    """GPUs of one replica."""
    cpu_request: int | None
    """CPUs of one pod; null where the recipe asks for none."""
    cpu_limit: int | None
    memory_gib: int | None
    """Memory of one pod in GiB, request and limit."""
    pool: str | None
    """Pool of its pods; null for a service without GPUs."""
    runs_on: str
    """The same in words."""
    devices: Mapping[str, str]
    """Extended resource -> how many of it one pod asks for."""
    claim: str | None
    """Template of its pods' claim to a ComputeDomain; null where they have none."""

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row under SERVICE_HEADERS."""
        memory = "" if self.memory_gib is None else f"{self.memory_gib}Gi"
        devices = [f"{name}: {amount}" for name, amount in self.devices.items()]
        devices += [] if self.claim is None else [f"claim of {self.claim} (ComputeDomain)"]
        counts = (self.name, str(self.replicas), str(self.gpus))
        return (*counts, self._cpu, memory, self.runs_on, ", ".join(devices) or "none")

    @property
    def _cpu(self) -> str:
        if self.cpu_request is None:
            return ""
        same = self.cpu_request == self.cpu_limit
        return str(self.cpu_request) if same else f"{self.cpu_request} to {self.cpu_limit}"


def explained_pools(stack: StackPlan) -> Iterator[ExplainedPool]:
    """Yield the pools, and what their GPUs cost."""
    for placed, purchase, price in stack.priced_pools():
        pool, machine = placed.pool, placed.pool.instance_type
        sold_as = price.option if price else ""
        yield ExplainedPool(
            name=pool.name,
            machine=machine.name,
            accelerator=machine.accelerator.name,
            nodes=pool.nodes,
            used_nodes=placed.used_nodes,
            exclusive_nodes=placed.exclusive_nodes,
            gpus=pool.gpus,
            used_gpus=placed.used_gpus,
            idle_gpus=placed.free_gpus,
            usd_per_gpu_hour=None if price is None else price.usd_per_gpu_hour,
            priced=NAMES[purchase.kind] if purchase else sold_as,
        )


def explained_services(stack: StackPlan) -> Iterator[ExplainedService]:
    """Yield the services of the graph, and where each runs."""
    placed = stack.serving.placed
    for service in placed.services:
        sizes, placement = service.resources, service.placement
        yield ExplainedService(
            name=service.name,
            role=service.role,
            replicas=service.replicas,
            gpus=service.gpus,
            cpu_request=sizes.cpu_request,
            cpu_limit=sizes.cpu_limit,
            memory_gib=sizes.memory_gib,
            pool=None if placement is None else placement.pool,
            runs_on=_runs_on(stack, service),
            devices={} if placement is None else placement.extended_resources,
            claim=placed.channel_template if placement and placed.compute_domain else None,
        )


def workarounds(stack: StackPlan) -> Iterator[str]:
    """Yield what keeps the workers away from known defects of the engine, each once."""
    placed = stack.serving.placed
    workers = grouped(
        (f"{item.name}={item.value}: {item.why} ({item.source})", worker.name)
        for worker in placed.workers
        for item in dict.fromkeys(
            each for process in worker.processes for each in process_workarounds(placed, worker, process)
        )
    )
    for text, names in workers.items():
        yield text if len(names) == len(placed.workers) else f"{' and '.join(names)}: {text}"


def _runs_on(stack: StackPlan, service: PlacedService) -> str:
    if service.placement is None:
        return "the workers' nodes" if stack.serving.placed.cache_nodes else "nodes without GPUs"
    [pool] = [each.pool for each in stack.pools if each.pool.name == service.placement.pool]
    return f"pool {pool.name}, {in_words(pool.nodes, 'node')}"
