"""Whether the nodes that load the model can mount its cache from the zone that they are in."""

from collections.abc import Iterator, Sequence

from recipes.placed import PlacedService
from stacks.errors import Problem
from stacks.plan.infrastructure.zones import Zone, zone_named
from stacks.settings.cluster import LustreStorage
from stacks.settings.stack import StackSettings

_KEY = "modelCache.storage.kind"


def zone_problems(settings: StackSettings, services: Sequence[PlacedService]) -> Iterator[Problem]:
    """Yield why a pool could not mount the file system, or only over a way that nobody typed.

    A disk of EBS is made where its node is, and the nodes' own disks are in no zone.
    """
    storage = settings.model_cache.storage if settings.model_cache else None
    if not isinstance(storage, LustreStorage):
        return
    zones = _zones(settings, services)
    names = list(dict.fromkeys(zone.name for zone in zones.values()))
    if len(names) > 1:
        pools = " and ".join(f"{pool} ({zone.name})" for pool, zone in zones.items())
        message = f"a file system of FSx for Lustre is in one zone, and the workers' pools {pools} are not"
        hint = "efs, which has an address in every zone; or pools in one zone"
        yield Problem(_KEY, storage.kind, message, allowed="efs, instanceStore", suggestion=hint)
        return
    for pool, zone in zones.items():
        if zone.is_local and storage.zone is None:
            message = (
                f"pool {pool} is in the Local Zone {zone.name}, in which no file system of FSx is "
                "documented: its nodes could only mount one across to the region"
            )
            hint = (
                "instanceStore, a copy on each node; or, to load it over that distance, efs, or "
                "modelCache.storage.zone with a zone of the region"
            )
            yield Problem(_KEY, storage.kind, message, allowed="efs, ebs, instanceStore", suggestion=hint)
        elif not zone.is_local and storage.zone not in {None, zone.name}:
            message = f"pool {pool} is in {zone.name}, and every file would come from another zone"
            yield Problem("modelCache.storage.zone", storage.zone, message, suggestion=zone.name)


def _zones(settings: StackSettings, services: Sequence[PlacedService]) -> dict[str, Zone]:
    """Pool -> zone, of the pools with workers."""
    used = {service.placement.pool for service in services if service.placement}
    return {
        pool.name: zone_named(pool.zone) for pool in settings.node_pools if pool.name in used and pool.zone
    }
