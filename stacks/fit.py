"""Whether node pools can hold the workers that they were given."""

from collections.abc import Mapping

from recipes.model import Recipe, ServiceRecipe
from stacks.errors import Problem
from stacks.packing import pack
from stacks.pools import Pool
from stacks.wording import in_words

Assigned = tuple[tuple[ServiceRecipe, Pool], ...]


def worker_problems(
    recipe: Recipe, worker: ServiceRecipe, pool: Pool, *, key: str, source: str
) -> tuple[Problem, ...]:
    """Return why no node of the pool, which the setting `key` names, can run this worker at all."""
    accelerator = pool.instance_type.accelerator
    problems: list[Problem] = []
    families = recipe.quantization.architecture_families
    if accelerator.architecture_family not in families:
        problems.append(
            Problem(
                source,
                key,
                pool.name,
                f"{worker.service_name} uses {recipe.quantization.algorithm}, which {accelerator.name} "
                f"({accelerator.architecture_family}) has no kernels for",
                allowed=f"a pool of {' or '.join(family.capitalize() for family in families)} GPUs",
            )
        )
    if worker.gpus > pool.instance_type.gpus:
        problems.append(
            Problem(
                source,
                key,
                pool.name,
                f"{worker.service_name} needs {in_words(worker.gpus, 'GPU')} on one node; a node of {pool} "
                f"has {pool.instance_type.gpus}",
                allowed=f"a pool whose nodes have {in_words(worker.gpus, 'GPU')} or more",
            )
        )
    return tuple(problems)


def pool_problems(assigned: Assigned, replicas: Mapping[str, int], source: str) -> tuple[Problem, ...]:
    """Return which pools cannot hold all of their workers at once."""
    problems: list[Problem] = []
    for pool in {pool.name: pool for _, pool in assigned}.values():
        workers = [worker for worker, place in assigned if place.name == pool.name]
        gpus = [worker.gpus for worker in workers for _ in range(replicas[worker.service_name])]
        if pack(gpus, pool.nodes, pool.instance_type.gpus) is not None:
            continue
        wanted = " and ".join(
            f"{replicas[worker.service_name]} x {worker.service_name} ({in_words(worker.gpus, 'GPU')} each)"
            for worker in workers
        )
        nodes = _nodes_needed(gpus, pool)
        problems.append(
            Problem(
                source,
                "serving.replicas",
                ", ".join(f"{worker.role}: {replicas[worker.service_name]}" for worker in workers),
                f"{pool} cannot hold {wanted}: {in_words(sum(gpus), 'GPU')} in all, and no worker may span "
                f"nodes",
                suggestion=f"{in_words(nodes, 'node')} in pool {pool.name}, or fewer replicas",
            )
        )
    return tuple(problems)


def _nodes_needed(gpus: list[int], pool: Pool) -> int:
    nodes = pool.nodes
    while pack(gpus, nodes, pool.instance_type.gpus) is None:
        nodes += 1
    return nodes
