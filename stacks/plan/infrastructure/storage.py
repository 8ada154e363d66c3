"""The file system of the model cache: what AWS has, where it is put, and what it would refuse."""

from collections.abc import Iterator

from stacks.errors import Problem
from stacks.plan.cache import size_in_gib
from stacks.plan.infrastructure.eks_plan import PlannedEfs, PlannedLustre, PlannedStorage
from stacks.plan.infrastructure.node_storage import planned_node_storage
from stacks.plan.infrastructure.zones import Zone, zone_named
from stacks.settings.cluster import EksClusterSettings, LustreStorage, OwnNetwork
from stacks.settings.node_storage import EbsStorage, InstanceStoreStorage
from stacks.settings.stack import ModelCacheSettings, StackSettings

_SMALLEST_LUSTRE_GIB, _LUSTRE_STEP_GIB = 1200, 2400
"""Sizes of PERSISTENT_2 with SSD: the smallest, and multiples of the step
(https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html)."""


def storage_problems(cluster: EksClusterSettings, settings: StackSettings) -> Iterator[Problem]:
    """Yield why the model would have no place."""
    cache = settings.model_cache
    if cache is None:
        return
    if (cache.storage is None) == (cache.storage_class_name is None):
        message = "needs one of storage, which is made, and storageClassName, which exists"
        yield Problem("modelCache", None, message)
    if isinstance(cache.storage, LustreStorage):
        yield from _size_problems(cache)
        yield from _zone_problems(cluster, settings, cache.storage)


def planned_storage(cluster: EksClusterSettings, settings: StackSettings) -> PlannedStorage | None:
    """Return the file system, None where the settings name a class; they have no `storage_problems`."""
    cache = settings.model_cache
    if cache is None or cache.storage is None:
        return None
    if isinstance(cache.storage, EbsStorage | InstanceStoreStorage):
        return planned_node_storage(cache.storage)
    if not isinstance(cache.storage, LustreStorage):
        is_far = any(zone_named(pool.zone).is_local for pool in settings.node_pools if pool.zone)
        return PlannedEfs(_regional_zones(cluster, settings)[0] if is_far else None)
    zone = cache.storage.zone or _regional_zones(cluster, settings)[0].name
    return PlannedLustre(zone_named(zone), size_in_gib(cache.size), cache.storage.throughput)


def volume_name(cluster: EksClusterSettings) -> str:
    """Return the name of the cache's file system, and of the PersistentVolume that stands for it."""
    return f"{cluster.name}-model-cache"


def _regional_zones(cluster: EksClusterSettings, settings: StackSettings) -> list[Zone]:
    """The pools' zones before the network's; no file system is documented in a Local Zone."""
    network = cluster.network
    of_network = network.zones if isinstance(network, OwnNetwork) else tuple(network.subnets)
    names = [*(pool.zone for pool in settings.node_pools if pool.zone), *of_network]
    return [zone for zone in map(zone_named, dict.fromkeys(names)) if not zone.is_local]


def _size_problems(cache: ModelCacheSettings) -> Iterator[Problem]:
    size = size_in_gib(cache.size)
    if size == _SMALLEST_LUSTRE_GIB or (size and size % _LUSTRE_STEP_GIB == 0):
        return
    above = -(-size // _LUSTRE_STEP_GIB) * _LUSTRE_STEP_GIB
    below = above - _LUSTRE_STEP_GIB
    if size < _SMALLEST_LUSTRE_GIB:
        near, larger = f"{_SMALLEST_LUSTRE_GIB}Gi is the smallest", _SMALLEST_LUSTRE_GIB
    else:
        near, larger = f"{below or _SMALLEST_LUSTRE_GIB}Gi or {above}Gi are the nearest", above
    yield Problem(
        "modelCache.size",
        cache.size,
        "FSx for Lustre has no file system of this size",
        allowed=f"{_SMALLEST_LUSTRE_GIB}Gi, or a multiple of {_LUSTRE_STEP_GIB}Gi; {near}",
        suggestion=f"{larger}Gi",
    )


def _zone_problems(
    cluster: EksClusterSettings, settings: StackSettings, storage: LustreStorage
) -> Iterator[Problem]:
    if storage.zone is None:
        return
    allowed = [zone.name for zone in _regional_zones(cluster, settings)]
    if storage.zone in allowed:
        return
    key, message = "modelCache.storage.zone", "no subnet of the stack is there"
    if zone_named(storage.zone).is_local:
        message = "is a Local Zone, in which no file system of FSx is documented"
    yield Problem(key, storage.zone, message, allowed=", ".join(allowed), suggestion=allowed[0])
