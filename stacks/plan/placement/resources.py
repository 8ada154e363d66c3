"""Processor time and memory that each pod asks for, and whether nodes have so much."""

import math
from collections.abc import Iterator, Mapping, Sequence

from hardware import InstanceType
from recipes.model import Recipe
from recipes.placed import PodResources
from recipes.services import FrontendResources, PodRecipe
from stacks.errors import Problem
from stacks.plan.placement.pools import Assigned
from stacks.plan.volume_sizes import GIB, gib, size_in_gib
from stacks.settings.services import PodResourceSettings
from stacks.settings.stack import ServingSettings
from stacks.wording import all_of

WORKERS_SHARE = 0.9
"""Part of a node that its workers divide among them.

The rest is for the reserve of kubelet and system, below 2 % on nodes of this size (awslabs/amazon-eks-ami
nodeadm/internal/kubelet/config.go), and for the daemon sets of network, storage, GPU operator, DRA driver and
monitoring, whose requests nobody here knows. A worker that asked for all that is left would stay Pending on a
node with one daemon set more.
"""

_KEY = "serving.resources"


def worker_resources(assigned: Assigned, serving: ServingSettings) -> PodResources:
    """Return what the settings give the worker; else its share of its node.

    A share is as much for each GPU as for any other, in whole units.
    """
    wanted = _wanted(assigned.worker, serving)
    node = assigned.pool.instance_type
    share = WORKERS_SHARE * assigned.worker.gpus / node.gpus
    cpus = wanted.cpu or int(node.vcpus * share)
    memory = size_in_gib(wanted.memory) if wanted.memory else int(node.memory_gib * share)
    return PodResources(cpu_request=cpus, cpu_limit=cpus, memory_gib=memory)


def occupied_gpus(gpus: int, resources: PodResources | FrontendResources, node: InstanceType) -> int:
    """Return how many GPUs no other worker can use beside this one: its own, or those whose share it takes.

    Workers that fit by this number fit by GPUs, processor time and memory alike.
    """
    of_cpus, of_memory = (
        math.ceil(round(node.gpus * asked / (WORKERS_SHARE * offered), 6))
        for asked, offered in ((resources.cpu_request, node.vcpus), (resources.memory_gib, node.memory_gib))
    )
    return max(gpus, of_cpus, of_memory)


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
        yield from _larger_than_a_node(one, serving)


def memory_problems(
    recipe: Recipe, serving: ServingSettings, assigned: Sequence[Assigned]
) -> Iterator[Problem]:
    """Yield which workers have too little memory for shared memory, the model's weights and KV cache in it.

    All count against the container's limit: /dev/shm is memory, and a loading process holds weights that it
    has read and not yet given to its GPU.
    """
    for one in assigned:
        # Each worker of a pod loads the model.
        weights = recipe.model.size_bytes / GIB * len(one.worker.processes)
        shared = gib(one.worker.shared_memory or "0Gi")
        cache = sum(each.engine.host_cache_bytes for each in one.worker.processes if each.engine) / GIB
        memory = worker_resources(one, serving).memory_gib
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
            _wanted(one.worker, serving).memory,
            f"{one.worker.service_name} needs {all_of(parts)}, and has {memory} GiB",
            allowed=f"{needed}Gi or more" if has_room else None,
            suggestion=f"{less}more GPUs for each worker (tensor_parallel_size)",
        )


def _wanted(worker: PodRecipe, serving: ServingSettings) -> PodResourceSettings:
    by_role: Mapping[str, PodResourceSettings | None] = dict(serving.resources)
    return by_role[worker.role] or PodResourceSettings()


def _larger_than_a_node(one: Assigned, serving: ServingSettings) -> Iterator[Problem]:
    node, wanted = one.pool.instance_type, _wanted(one.worker, serving)
    asked = worker_resources(one, serving)
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
