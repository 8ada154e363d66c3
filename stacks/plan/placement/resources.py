"""Processor time and memory that each pod asks for, and whether nodes have so much."""

import math
from collections.abc import Iterator, Sequence

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.pools import WORKERS_SHARE, Assigned
from stacks.plan.volume_sizes import GIB, gib
from stacks.settings.stack import ServingSettings
from stacks.wording import all_of

_KEY = "serving.resources"


def resource_problems(
    recipe: Recipe, serving: ServingSettings, assigned: Sequence[Assigned]
) -> Iterator[Problem]:
    """Yield the sizes that are for no worker of the recipe, and those that no node has."""
    roles = [pod.role for pod in recipe.pods if pod.gpus]
    for role in serving.resources.model_dump(exclude_unset=True):
        if role not in roles:
            message = f"{recipe.name} has no {role} workers"
            yield Problem(f"{_KEY}.{role}", None, message, allowed=", ".join(roles))
    for one in assigned:
        yield from _larger_than_a_node(one)


def memory_problems(recipe: Recipe, assigned: Sequence[Assigned]) -> Iterator[Problem]:
    """Yield which workers have too little memory for shared memory, the model's weights and KV cache in it.

    All count against the container's limit: /dev/shm is memory, and a loading process holds weights that it
    has read and not yet given to its GPU.
    """
    for one in assigned:
        # Each worker of a pod loads the model.
        weights = recipe.model.size_bytes / GIB * len(one.worker.processes)
        shared = gib(one.worker.shared_memory or "0Gi")
        cache = sum(each.engine.host_cache_bytes for each in one.worker.processes if each.engine) / GIB
        memory = one.resources.memory_gib
        if shared + weights + cache <= memory:
            continue
        parts = [f"{shared:.0f} GiB of shared memory", f"{weights:.0f} GiB for weights"]
        if cache:
            parts.append(f"{cache:.0f} GiB for KV cache that leaves the GPU")
        needed = math.ceil(shared + weights + cache)
        has_room = needed <= WORKERS_SHARE * one.pool.instance_type.memory_gib
        less = "less KV cache in host memory, or " if cache else ""
        yield Problem(
            f"{_KEY}.{one.worker.role}.memory",
            one.wanted.memory,
            f"{one.name} needs {all_of(parts)}, and has {memory} GiB",
            allowed=f"{needed}Gi or more" if has_room else None,
            suggestion=f"{less}more GPUs for each worker (tensor_parallel_size)",
        )


def _larger_than_a_node(one: Assigned) -> Iterator[Problem]:
    node, wanted, asked = one.pool.instance_type, one.wanted, one.resources
    key = f"{_KEY}.{one.worker.role}"
    cpus, memory = int(WORKERS_SHARE * node.vcpus), int(WORKERS_SHARE * node.memory_gib)
    if not asked.cpu_request:
        message = f"is missing: the GPUs of a worker come with less than one of the node's {node.vcpus} CPUs"
        yield Problem(f"{key}.cpu", None, message, allowed=f"1 to {cpus}")
    if asked.cpu_request > cpus:
        message = _too_much(one, f"{cpus} of its {node.vcpus} CPUs")
        yield Problem(f"{key}.cpu", wanted.cpu, message, allowed=f"{cpus} or less")
    if asked.memory_gib > memory:
        message = _too_much(one, f"{memory} of its {node.memory_gib} GiB")
        yield Problem(f"{key}.memory", wanted.memory, message, allowed=f"{memory}Gi or less")


def _too_much(one: Assigned, part: str) -> str:
    return f"a node of {one.pool} has {part} for workers; the rest is for system and daemon sets"
