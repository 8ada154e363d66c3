"""Model caches that only some nodes have: a disk that one node mounts, and the nodes' own disks."""

from collections.abc import Iterator, Mapping, Sequence

from recipes.placed import CacheNodes, PlacedService
from stacks.errors import Problem
from stacks.plan.cache import size_in_gib
from stacks.plan.infrastructure.planned_node_storage import PlannedEbs, PlannedInstanceStore
from stacks.plan.placement.pools import Pool
from stacks.plan.placement.resources import WORKERS_SHARE
from stacks.settings.node_storage import EbsStorage, InstanceStoreStorage
from stacks.settings.platform import namespace_name
from stacks.settings.stack import StackSettings
from stacks.wording import in_words

# Where nodeadm mounts the RAID0 of a node's disks (awslabs/amazon-eks-ami nodeadm, localStorage).
_DISKS = "/mnt/k8s-disks/0"
_GIB = 2**30
# Of each node, for frontends beside its workers' nine tenths; the rest is kubelet's and the daemon sets'.
# Processor time runs out before memory: a frontend asks for 4 GiB a CPU, and the nodes have 6 or more.
_FRONTENDS_SHARE = 0.06


def planned_node_storage(storage: EbsStorage | InstanceStoreStorage) -> PlannedEbs | PlannedInstanceStore:
    """Return what is made of it in the account or the cluster."""
    return PlannedEbs(storage.throughput) if isinstance(storage, EbsStorage) else PlannedInstanceStore()


def node_directory(settings: StackSettings) -> str | None:
    """Return the directory of each node with its copy; None where the cache is a claim."""
    cache = settings.model_cache
    if cache is None or not isinstance(cache.storage, InstanceStoreStorage):
        return None
    # Two stacks on the same nodes do not fill each other's.
    return f"{_DISKS}/{namespace_name(settings.serving.namespace)}-model-cache"


def cache_nodes(settings: StackSettings, services: Sequence[PlacedService]) -> CacheNodes | None:
    """Return the nodes that alone have the cache; None where every node can mount it."""
    cache = settings.model_cache
    if cache is None or not isinstance(cache.storage, EbsStorage | InstanceStoreStorage):
        return None
    places = [service.placement for service in services if service.placement]
    selectors = {place.pool: place.node_selector for place in places}
    tolerations = dict.fromkeys(toleration for place in places for toleration in place.tolerations)
    return CacheNodes(tuple(selectors.values()), tuple(tolerations), node_directory(settings))


def node_storage_problems(
    settings: StackSettings, services: Sequence[PlacedService], pools: Mapping[str, Pool]
) -> Iterator[Problem]:
    """Yield why pods could not read a cache that only some nodes have.

    Args:
        settings: what was typed.
        services: as they are placed.
        pools: the known pools by name.

    """
    cache = settings.model_cache
    storage = cache.storage if cache else None
    if cache is None or not isinstance(storage, EbsStorage | InstanceStoreStorage):
        return
    names = dict.fromkeys(service.placement.pool for service in services if service.placement)
    used = [pools[name] for name in names]
    if isinstance(storage, EbsStorage):
        problem = _one_node_problem(settings, used)
        if problem:
            yield problem
            return
    else:
        yield from _disk_problems(cache.size, used)
    yield from _frontend_problems(services, used)


def _one_node_problem(settings: StackSettings, used: Sequence[Pool]) -> Problem | None:
    key, allowed = "modelCache.storage.kind", "fsxLustre, efs or instanceStore, for more nodes than one"
    if len(used) > 1:
        names = " and ".join(pool.name for pool in used)
        message = f"one node mounts a disk of EBS, and the workers are in pools {names}"
        hint = "efs, which all nodes mount; or serving.pool, with one pool of one node for all workers"
        return Problem(key, "ebs", message, allowed=allowed, suggestion=hint)
    (pool,) = used
    if pool.nodes == 1:
        return None
    index = [typed.name for typed in settings.node_pools].index(pool.name)
    message = (
        f"one node mounts a disk of EBS, and pool {pool.name} has {pool.nodes}, over which workers and "
        "frontends would be spread"
    )
    hint = f"instanceStore, a copy on each node; or nodePools[{index}].nodes: 1"
    return Problem(key, "ebs", message, allowed=allowed, suggestion=hint)


def _disk_problems(size: str, used: Sequence[Pool]) -> Iterator[Problem]:
    for pool in used:
        disks = pool.instance_type.local_nvme
        room = disks.gigabytes * 10**9 // _GIB
        if size_in_gib(size) > room:
            has = f"{disks.count} x {disks.gigabytes_each} GB"
            message = f"the disks of a node of {pool.instance_type.name} are {has}"
            yield Problem("modelCache.size", size, message, allowed=f"{room}Gi or less")


def _frontend_problems(services: Sequence[PlacedService], used: Sequence[Pool]) -> Iterator[Problem]:
    frontends = [each for each in services if each.placement is None and each.resources is not None]
    # An update starts one more of each before the old one ends.
    wanted = sum(
        (each.replicas + 1) * (each.resources.cpu_request if each.resources else 0) for each in frontends
    )
    taken = sum(each.gpus * each.replicas for each in services)
    free = sum(pool.gpus for pool in used) - taken
    node = min((pool.instance_type for pool in used), key=lambda kind: kind.vcpus / kind.gpus)
    nodes = sum(pool.nodes for pool in used)
    room = node.vcpus * (_FRONTENDS_SHARE * nodes + WORKERS_SHARE * free / node.gpus)
    if wanted <= room:
        return
    replicas = sum(each.replicas for each in frontends)
    message = (
        f"frontends run where the model cache is, on the GPU nodes, and with one more during an update they "
        f"ask for {in_words(wanted, 'CPU')}; beside the workers there are {int(room)}"
    )
    yield Problem(
        "serving.replicas.frontend",
        replicas,
        message,
        suggestion="fewer, or a cache on efs or fsxLustre",
    )
