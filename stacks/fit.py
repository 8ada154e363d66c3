"""Whether node pools can hold the workers that they were given."""

from collections.abc import Mapping

from recipes.model import Recipe, ServiceRecipe
from stacks.errors import Problem
from stacks.packing import pack
from stacks.pools import Pool

Assigned = tuple[tuple[ServiceRecipe, Pool], ...]


def worker_problems(recipe: Recipe, worker: ServiceRecipe, pool: Pool, source: str) -> tuple[Problem, ...]:
    """Return why no node of the pool can run this worker at all."""
    accelerator = pool.instance_type.accelerator
    problems: list[Problem] = []
    families = recipe.quantization.architecture_families
    if accelerator.architecture_family not in families:
        problems.append(
            Problem(
                source,
                "serving.pool",
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
                "serving.pool",
                pool.name,
                f"{worker.service_name} needs {worker.gpus} GPUs on one node; a node of {pool} has "
                f"{pool.instance_type.gpus}",
                allowed=f"a pool whose nodes have {worker.gpus} GPUs or more",
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
            f"{replicas[worker.service_name]} x {worker.service_name} ({worker.gpus} GPUs each)"
            for worker in workers
        )
        nodes = _nodes_needed(gpus, pool)
        problems.append(
            Problem(
                source,
                "serving.replicas",
                None,
                f"{pool} cannot hold {wanted}: {sum(gpus)} GPUs in all, and no worker may span nodes",
                suggestion=f"{nodes} nodes in pool {pool.name}, or fewer replicas",
            )
        )
    return tuple(problems)


def _nodes_needed(gpus: list[int], pool: Pool) -> int:
    nodes = pool.nodes
    while pack(gpus, nodes, pool.instance_type.gpus) is None:
        nodes += 1
    return nodes
