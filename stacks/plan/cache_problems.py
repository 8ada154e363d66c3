"""Why the pods would not find the model's files where they look for them."""

from collections.abc import Container, Iterator, Mapping, Sequence

from hardware import is_local_zone
from recipes.model import Recipe
from recipes.placed import PlacedService
from stacks.errors import Problem
from stacks.plan.cache_plan import regional_zones
from stacks.plan.placement.pools import Pool
from stacks.plan.volume_sizes import GIB, needed_gib, size_in_gib
from stacks.settings.cluster import (
    EbsStorage,
    EfsStorage,
    EksClusterSettings,
    InstanceStoreStorage,
    LustreStorage,
)
from stacks.settings.stack import ExistingVolumeSource, StackSettings

_KIND, _ZONE = "modelCache.storage.kind", "modelCache.storage.zone"
_SMALLEST_LUSTRE_GIB, _LUSTRE_STEP_GIB = 1200, 2400
"""Sizes of PERSISTENT_2 with SSD: the smallest, and multiples of the step
(https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html)."""


def source_problems(settings: StackSettings, recipe: Recipe | None) -> Iterator[Problem]:
    """Yield why source and volume do not go together, or the volume is too small."""
    cache = settings.model_cache
    if isinstance(settings.model.source, ExistingVolumeSource):
        if cache is not None:
            message = "the model is on an existing volume, whose size and class are its own"
            yield Problem("modelCache", None, message, suggestion="leave modelCache out")
    elif cache is None:
        message = f"is missing: the files from {settings.model.source.kind} need a volume"
        yield Problem("modelCache", None, message, allowed="a mapping with size, storageClassName")
    elif recipe and size_in_gib(cache.size) < (needed := needed_gib(recipe.download_bytes)):
        names = [recipe.model.repository, *(draft.repository for draft in recipe.draft_models)]
        message = (
            f"{' with '.join(names)} takes {recipe.download_bytes / 1e9:.1f} GB, which needs {needed}Gi with "
            f"room for the download"
        )
        allowed, hint = f"{needed}Gi or more", f"{needed}Gi"
        yield Problem("modelCache.size", cache.size, message, allowed=allowed, suggestion=hint)


def storage_problems(settings: StackSettings) -> Iterator[Problem]:
    """Yield why the cluster would have no place for the model."""
    cache, cluster = settings.model_cache, settings.cluster
    if cache is None:
        return
    if not isinstance(cluster, EksClusterSettings):
        if cache.storage is not None:
            message = "belongs to a cluster that the stack makes, and this one exists"
            yield Problem("modelCache.storage", cache.storage.kind, message, suggestion="leave it out")
        if cache.storage_class_name is None:
            missing = "is missing: the volume's class in the cluster"
            yield Problem("modelCache.storageClassName", None, missing)
        return
    if (cache.storage is None) == (cache.storage_class_name is None):
        message = "needs one of storage, which is made, and storageClassName, which exists"
        yield Problem("modelCache", None, message)
    if isinstance(cache.storage, LustreStorage):
        yield from _lustre_problems(cluster, settings, cache.size, cache.storage)


def placement_problems(
    settings: StackSettings, services: Sequence[PlacedService], pools: Mapping[str, Pool]
) -> Iterator[Problem]:
    """Yield why pods could not read the cache from where they are placed.

    Args:
        settings: those of the stack.
        services: as they are placed.
        pools: the known pools by name.

    """
    cache = settings.model_cache
    if cache is None:
        return
    names = dict.fromkeys(service.placement.pool for service in services if service.placement)
    used = [pools[name] for name in names]
    match cache.storage:
        case EbsStorage():
            yield from _one_node_problems(used)
        case InstanceStoreStorage():
            yield from _disk_problems(cache.size, used)
        case LustreStorage() as storage:
            yield from _zone_problems(settings, storage, names)
        case EfsStorage() | None:
            return


def _lustre_problems(
    cluster: EksClusterSettings, settings: StackSettings, typed_size: str, storage: LustreStorage
) -> Iterator[Problem]:
    size = size_in_gib(typed_size)
    if size != _SMALLEST_LUSTRE_GIB and (not size or size % _LUSTRE_STEP_GIB):
        steps = -(-size // _LUSTRE_STEP_GIB)
        larger = _SMALLEST_LUSTRE_GIB if size < _SMALLEST_LUSTRE_GIB else steps * _LUSTRE_STEP_GIB
        yield Problem(
            "modelCache.size",
            typed_size,
            "FSx for Lustre has no file system of this size",
            allowed=f"{_SMALLEST_LUSTRE_GIB}Gi, or a multiple of {_LUSTRE_STEP_GIB}Gi",
            suggestion=f"{larger}Gi",
        )
    regional = regional_zones(cluster, settings)
    if storage.zone is not None and storage.zone not in regional:
        message = "no subnet of the stack is there, or it is a Local Zone, which has no file system of FSx"
        allowed, suggestion = ", ".join(regional) or None, next(iter(regional), None)
        yield Problem(_ZONE, storage.zone, message, allowed=allowed, suggestion=suggestion)


def _zone_problems(
    settings: StackSettings, storage: LustreStorage, used: Container[str]
) -> Iterator[Problem]:
    zones = {pool.name: pool.zone for pool in settings.node_pools if pool.name in used and pool.zone}
    if len(set(zones.values())) > 1:
        pools = " and ".join(f"{pool} ({zone})" for pool, zone in zones.items())
        message = f"a file system of FSx for Lustre is in one zone, and the workers' pools {pools} are not"
        hint = "efs, which has an address in every zone; or pools in one zone"
        yield Problem(_KIND, storage.kind, message, allowed="efs, instanceStore", suggestion=hint)
        return
    for pool, zone in zones.items():
        if is_local_zone(zone) and storage.zone is None:
            message = (
                f"pool {pool} is in the Local Zone {zone}, in which no file system of FSx is "
                "documented: its nodes could only mount one across to the region"
            )
            hint = (
                "instanceStore, a copy on each node; or, to load it over that distance, efs, or "
                "modelCache.storage.zone with a zone of the region"
            )
            yield Problem(_KIND, storage.kind, message, allowed="efs, ebs, instanceStore", suggestion=hint)
        elif not is_local_zone(zone) and storage.zone not in {None, zone}:
            message = f"pool {pool} is in {zone}, and every file would come from another zone"
            yield Problem(_ZONE, storage.zone, message, suggestion=zone)


def _one_node_problems(used: Sequence[Pool]) -> Iterator[Problem]:
    nodes = sum(pool.nodes for pool in used)
    if nodes > 1:
        names = " and ".join(pool.name for pool in used)
        yield Problem(
            _KIND,
            "ebs",
            f"one node mounts a disk of EBS, and workers and frontends would be on the {nodes} of {names}",
            allowed="fsxLustre, efs or instanceStore, for more nodes than one",
            suggestion="instanceStore, a copy on each node; or one pool with nodes: 1",
        )


def _disk_problems(size: str, used: Sequence[Pool]) -> Iterator[Problem]:
    for pool in used:
        disks = pool.instance_type.local_nvme
        room = disks.gigabytes * 10**9 // GIB
        if size_in_gib(size) > room:
            has = f"{disks.count} x {disks.gigabytes_each} GB"
            message = f"the disks of a node of {pool.instance_type.name} are {has}"
            yield Problem("modelCache.size", size, message, allowed=f"{room}Gi or less")
