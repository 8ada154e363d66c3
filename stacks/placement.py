"""Where each service of a recipe runs: pool, selectors, tolerations, rollout."""

from collections.abc import Mapping

from recipes.model import Recipe, ServiceRecipe
from recipes.placed import PlacedService, PoolPlacement, Rollout, Toleration
from stacks.errors import Problem
from stacks.fit import pool_problems, worker_problems
from stacks.nearest import nearest
from stacks.packing import pack
from stacks.pools import Pool
from stacks.settings import ServingSettings
from stacks.wording import in_words

PRODUCT_LABEL = "nvidia.com/gpu.product"
ARCHITECTURE_LABEL = "kubernetes.io/arch"


def place_services(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool], source: str
) -> tuple[tuple[PlacedService, ...], tuple[Problem, ...]]:
    """Return every service with its place, or the problems that keep them from having one."""
    assigned, problems = _assign_pools(recipe, serving, pools, source)
    if problems:
        return (), problems
    replicas = {service.service_name: _replicas(service, serving) for service in recipe.services}
    problems = tuple(
        problem
        for service, pool in assigned
        for problem in worker_problems(
            recipe, service, pool, key=_pool_setting(service, serving)[0], source=source
        )
    )
    problems = problems or pool_problems(assigned, replicas, source)
    if problems:
        return (), problems
    placements = _placements(assigned, replicas)
    services = tuple(
        PlacedService(service, replicas[service.service_name], placements.get(service.service_name))
        for service in recipe.services
    )
    return services, ()


def _assign_pools(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool], source: str
) -> tuple[tuple[tuple[ServiceRecipe, Pool], ...], tuple[Problem, ...]]:
    if (serving.pool is None) == (serving.pools is None):
        message = "name one pool for all workers with `pool`, or one for each role with `pools`; not both"
        return (), (Problem(source, "serving.pool", serving.pool, message, allowed=", ".join(pools)),)
    assigned: list[tuple[ServiceRecipe, Pool]] = []
    problems: dict[str, Problem] = {}
    for worker in recipe.workers:
        key, name = _pool_setting(worker, serving)
        if name in pools:
            assigned.append((worker, pools[name]))
        else:
            problems[key] = Problem(
                source,
                key,
                name,
                "no node pool has this name",
                allowed=", ".join(pools),
                suggestion=nearest(name, pools),
            )
    return tuple(assigned), tuple(problems.values())


def _pool_setting(worker: ServiceRecipe, serving: ServingSettings) -> tuple[str, str]:
    if serving.pools is None:
        return "serving.pool", serving.pool or ""
    name = serving.pools.prefill if worker.role == "prefill" else serving.pools.decode
    return f"serving.pools.{worker.role}", name


def _replicas(service: ServiceRecipe, serving: ServingSettings) -> int:
    by_role = {
        "frontend": serving.replicas.frontend,
        "prefill": serving.replicas.prefill,
        "decode": serving.replicas.decode,
    }
    return by_role[service.role] or service.replicas


def _placements(
    assigned: tuple[tuple[ServiceRecipe, Pool], ...], replicas: Mapping[str, int]
) -> dict[str, PoolPlacement]:
    rollouts = _rollouts(assigned, replicas)
    return {
        worker.service_name: PoolPlacement(
            pool=pool.name,
            instance_type=pool.instance_type.name,
            nodes=pool.nodes,
            node_selector=_node_selector(pool),
            tolerations=_tolerations(pool),
            rollout=rollouts[worker.service_name],
        )
        for worker, pool in assigned
    }


def _node_selector(pool: Pool) -> dict[str, str]:
    return {
        PRODUCT_LABEL: pool.instance_type.accelerator.product_label,
        # The image exists for both architectures, so only this keeps a pod off the other one.
        ARCHITECTURE_LABEL: pool.instance_type.cpu_architecture,
    }


def _tolerations(pool: Pool) -> tuple[Toleration, ...]:
    gpu = Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
    if pool.instance_type.cpu_architecture == "amd64":
        return (gpu,)
    # Some clusters taint every arm64 node, because most images have no arm64 build.
    arm = Toleration(key=ARCHITECTURE_LABEL, operator="Equal", effect="NoSchedule", value="arm64")
    return (gpu, arm)


def _rollouts(
    assigned: tuple[tuple[ServiceRecipe, Pool], ...], replicas: Mapping[str, int]
) -> dict[str, Rollout]:
    """Let a worker surge only where its pool holds one more, with the surges of the others in place.

    All workers of a graph roll together when any worker's pod template changes (ai-dynamo/dynamo#6110), so
    GPUs that two of them would surge into can be counted once only.
    """
    rollouts: dict[str, Rollout] = {}
    for pool in {pool.name: pool for _, pool in assigned}.values():
        workers = [worker for worker, place in assigned if place.name == pool.name]
        taken = [worker.gpus for worker in workers for _ in range(replicas[worker.service_name])]
        for worker in sorted(workers, key=lambda worker: -worker.gpus):
            wanted = in_words(worker.gpus, "GPU")
            if pack([*taken, worker.gpus], pool.nodes, pool.instance_type.gpus) is None:
                rollouts[worker.service_name] = Rollout(
                    "Recreate",
                    f"{pool} has no {wanted} free on one node to start a new worker beside the old",
                )
                continue
            taken.append(worker.gpus)
            rollouts[worker.service_name] = Rollout(
                "RollingUpdate", f"{pool} has {wanted} free on one node for the new worker"
            )
    return rollouts
