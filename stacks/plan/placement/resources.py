"""Processor time and memory that each pod asks for."""

import re
from collections.abc import Iterator, Sequence

from recipes.model import Recipe, ServiceRecipe
from recipes.placed import PodResources
from stacks.errors import Problem
from stacks.plan.placement.pools import Assigned
from stacks.wording import in_words

WORKERS_SHARE = 0.9
"""Part of a node that its workers divide among them.

The rest is for the reserve of kubelet and system, below 2 % on nodes of this size (awslabs/amazon-eks-ami
nodeadm/internal/kubelet/config.go), and for the daemon sets of network, storage, GPU operator, DRA driver and
monitoring, whose requests nobody here knows. A worker that asked for all that is left would stay Pending on a
node with one daemon set more.
"""

_GIB = 2**30
_QUANTITY = re.compile(r"^(\d+)(Mi|Gi|Ti)$")
_UNIT_GIB = {"Mi": 1 / 1024, "Gi": 1, "Ti": 1024}


def worker_resources(assigned: Assigned) -> PodResources:
    """Return the worker's share of its node: as much for each GPU as for any other, in whole units."""
    node = assigned.pool.instance_type
    share = WORKERS_SHARE * assigned.worker.gpus / node.gpus
    cpus = int(node.vcpus * share)
    return PodResources(cpu_request=cpus, cpu_limit=cpus, memory_gib=int(node.memory_gib * share))


def frontend_resources(frontend: ServiceRecipe) -> PodResources | None:
    """Return what the recipe gives a frontend."""
    if frontend.resources is None:
        return None
    published = frontend.resources
    return PodResources(published.cpu_request, published.cpu_limit, published.memory_gib)


def memory_problems(
    recipe: Recipe, assigned: Sequence[Assigned], overridden_roles: Sequence[str]
) -> Iterator[Problem]:
    """Yield which workers have too little memory for their shared memory and the model's weights.

    Both count against the container's limit: /dev/shm is memory, and a loading process holds weights that it
    has read and not yet given to its GPU.
    """
    weights = recipe.model.size_bytes / _GIB
    for one in assigned:
        shared = gib(one.worker.shared_memory or "0Gi")
        memory = worker_resources(one).memory_gib
        if shared + weights <= memory:
            continue
        role = one.worker.role
        key = f"serving.overrides.{role}" if role in overridden_roles else "serving.recipe"
        message = (
            f"{one.worker.service_name} needs {shared:.0f} GiB of shared memory and {weights:.0f} GiB for "
            f"weights; {in_words(one.worker.gpus, 'GPU')} of {one.pool.instance_type.name} come with "
            f"{memory} GiB"
        )
        yield Problem(key, None, message, suggestion="more GPUs for each worker (tensor_parallel_size)")


def gib(quantity: str) -> float:
    """Return a Kubernetes quantity such as 80Gi in GiB.

    Raises:
        ValueError: the quantity is not a whole number of Mi, Gi or Ti.

    """
    found = _QUANTITY.match(quantity)
    if found is None:
        raise ValueError(f"{quantity} is not a size in Mi, Gi or Ti")
    return int(found[1]) * _UNIT_GIB[found[2]]
