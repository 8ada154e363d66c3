"""The parts of a GPU's memory under each engine. An estimate, the same that rules judge by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engines.memory import memory_demand
from hardware import Accelerator
from recipes.placed import PlacedService
from resource_graph import ResourceGraph
from rules.reading.engines.memory import MemoryPlan, read_memory_plan
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided

_MIB_PER_GIB = 1024

PartKind = Literal["weights", "activations", "runtime", "kv", "buffers", "free", "unknown"]
PART_NAMES: dict[PartKind, str] = {
    "weights": "weights",
    "activations": "activations",
    "runtime": "runtime, CUDA graphs",
    "kv": "KV cache",
    "buffers": "transfer buffers",
    "free": "free",
    "unknown": "not told apart",
}


@dataclass(frozen=True, slots=True)
class WorkerMemory:
    """One engine on the GPUs of its pool."""

    name: str
    accelerator: str
    note: str
    """How the KV cache gets its share, or why nothing is drawn."""
    total_gib: float = 0
    counted: str = ""
    """Which of a GPU's sizes the total is."""
    parts: Mapping[PartKind, float] = field(default_factory=dict[PartKind, float])
    """GiB of each; empty where the estimate does not cover the engine."""


def workers_memory(graph: ResourceGraph, services: Sequence[PlacedService]) -> Iterator[WorkerMemory]:
    """Yield the memory of every engine of the stack's workers.

    Args:
        graph: the resources with the workers' commands and engine files.
        services: the placed workers.

    """
    for worker in read_workers(graph):
        service = None if isinstance(worker, Unreadable) else _service_of(worker, services)
        if isinstance(worker, Unreadable) or service is None or service.placement is None:
            continue
        accelerator = service.placement.instance_type.accelerator
        name = _name(worker, service)
        try:
            yield _memory(graph, worker, name, accelerator)
        except Undecided as reason:
            yield WorkerMemory(name, accelerator.name, f"No estimate: {reason}")


def _service_of(worker: Worker, services: Sequence[PlacedService]) -> PlacedService | None:
    # A server without Dynamo is the one worker of its stack, and its Deployment has the name of the stack.
    if len(services) == 1:
        return services[0]
    return next((each for each in services if each.name == worker.template.name), None)


def _name(worker: Worker, service: PlacedService) -> str:
    """Return the service's name, with the role of the engine where a pod runs several."""
    processes = service.processes
    if len(processes) == 1:
        return service.name
    position = worker.name.rpartition(" ")[2]
    index = int(position) - 1 if position.isdecimal() else 0
    return f"{service.name}, {processes[index].role}" if index < len(processes) else worker.name


def _memory(graph: ResourceGraph, worker: Worker, name: str, accelerator: Accelerator) -> WorkerMemory:
    plan = read_memory_plan(graph, worker)
    if plan is None:
        raise Undecided("nothing is known of how this model or engine takes memory")
    if accelerator.cuda_visible_memory_gib is None and plan.not_covered is None:
        total, counted = accelerator.memory_mib / _MIB_PER_GIB, "nominal"
        padding, most = plan.padding(accelerator), plan.max_num_tokens
        demand = memory_demand(plan.model, padding, plan.sharding, max_num_tokens=most)
        rest: dict[PartKind, float] = {"unknown": total - demand.total}
        note = (
            f"Nobody published how much memory CUDA sees of {accelerator.name}, so KV cache and free memory "
            "are not told apart"
        )
    else:
        memory = plan.on(accelerator)
        total, counted, demand = memory.visible, "as CUDA sees it", memory.demand
        pool, buffers = max(0.0, memory.pool), plan.buffers_gib
        rest = {"kv": pool, "buffers": buffers, "free": memory.rest - buffers}
        note = f"{_share(plan)}; {_sequences(plan, pool)}"
    parts: dict[PartKind, float] = {
        "weights": demand.weights,
        "activations": demand.activations,
        "runtime": demand.runtime,
        **rest,
    }
    # More may be wanted than there is: then nothing is left.
    above_zero: dict[PartKind, float] = {kind: gib for kind, gib in parts.items() if gib > 0}
    return WorkerMemory(name, accelerator.name, note, total, counted, above_zero)


def _share(plan: MemoryPlan) -> str:
    form = "in the checkpoint's format" if plan.kv_format == "auto" else f"in {plan.kv_format}"
    of_what = "all memory, less what is taken before it" if plan.fraction_is_of_total else "what is left"
    return f"The KV cache, {form}, gets {plan.fraction:g} of {of_what} ({plan.fraction_source})"


def _sequences(plan: MemoryPlan, pool: float) -> str:
    length = plan.max_seq_len.value
    one = plan.sequence_gib(length)
    text = f"a sequence of {length:,} tokens takes {one:.2f} GiB, so {int(pool / one):,} fit"
    if plan.max_batch_size is None:
        return text
    where = " on each GPU" if plan.sharding.attention_data_parallel else ""
    return f"{text}; at most {plan.max_batch_size.value:,} run at once{where}"
