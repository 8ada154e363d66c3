"""Where the model's files lie, what brings them there, and which nodes can read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hardware import is_local_zone
from recipes.model import Recipe
from recipes.model_download import HuggingFaceDownload, S3Copy
from recipes.placed import CacheNodes, CopyNodes, PlacedService
from stacks.plan.infrastructure.eks_plan import MadeStorage
from stacks.plan.timeouts import check_timeout_seconds, download_timeout_seconds
from stacks.plan.volume_sizes import needed_gib, size_in_gib
from stacks.settings.cluster import (
    EbsStorage,
    EfsStorage,
    EksClusterSettings,
    InstanceStoreStorage,
    LustreStorage,
    OwnNetwork,
)
from stacks.settings.platform import namespace_name
from stacks.settings.stack import ExistingVolumeSource, HuggingFaceSource, S3Source, StackSettings

_CLAIM_NAME = "model-cache"
DISK_CLASS_NAME = "model-cache"
"""The class whose claims become disks of EBS."""

# Where nodeadm mounts the RAID0 of a node's disks (awslabs/amazon-eks-ami nodeadm, localStorage).
_DISKS = "/mnt/k8s-disks/0"


@dataclass(frozen=True, slots=True)
class ExistingVolume:
    """A claim with the model that others made; a Job checks what it holds."""

    job_name: ClassVar = "model-check"
    source: ClassVar = None
    """Nothing is copied."""
    timeout_seconds: int


@dataclass(frozen=True, slots=True)
class OwnVolume:
    """A claim of the stack's own, and the Job that fills it."""

    job_name: ClassVar = "model-download"
    timeout_seconds: int
    source: HuggingFaceDownload | S3Copy
    class_name: str
    """Storage class of the claim; empty where the volume is a file system, and no class makes it."""
    nodes: CacheNodes | None
    """Nodes that alone can mount the cache; None: all nodes can."""
    size_gib: int
    needed_gib: int
    """What the pinned revision takes on the volume, with room for a download in flight."""


@dataclass(frozen=True, slots=True)
class NodeCopies:
    """A copy on each node with workers, and the DaemonSet that brings it."""

    timeout_seconds: int
    source: HuggingFaceDownload | S3Copy
    nodes: CopyNodes
    size_gib: int
    needed_gib: int
    """As of a volume: what it takes on each node."""


CachePlan = ExistingVolume | OwnVolume | NodeCopies


def cache_plan(settings: StackSettings, recipe: Recipe, services: Sequence[PlacedService]) -> CachePlan:
    """Return where the model lies and what brings it; the settings have no problems."""
    origin, cache = settings.model.source, settings.model_cache
    size_bytes = recipe.download_bytes
    if isinstance(origin, ExistingVolumeSource) or cache is None:
        return ExistingVolume(check_timeout_seconds(size_bytes))
    source, seconds = _source(origin), cache.download_timeout_seconds or download_timeout_seconds(size_bytes)
    sizes = size_in_gib(cache.size), needed_gib(size_bytes)
    places = [service.placement for service in services if service.placement]
    selectors = tuple({place.pool: place.node_selector for place in places}.values())
    tolerations = tuple(dict.fromkeys(toleration for place in places for toleration in place.tolerations))
    nodes = None
    class_name = cache.storage_class_name or ""
    match cache.storage:
        case InstanceStoreStorage():
            # The namespace keeps the copies of two stacks on the same nodes apart.
            directory = f"{_DISKS}/{namespace_name(settings.serving.namespace)}-model-cache"
            return NodeCopies(seconds, source, CopyNodes(selectors, tolerations, directory), *sizes)
        case EbsStorage():
            nodes = CacheNodes(selectors, tolerations)
            class_name = DISK_CLASS_NAME
        case _:
            pass
    return OwnVolume(seconds, source, class_name, nodes, *sizes)


def claim_name(settings: StackSettings) -> str:
    """Return the name of the claim that pods mount, the stack's own or one that exists."""
    source = settings.model.source
    return source.claim_name if isinstance(source, ExistingVolumeSource) else _CLAIM_NAME


def made_storage(settings: StackSettings) -> MadeStorage | None:
    """Return what is made for the model with a cluster of the stack's own; None where it exists."""
    cache, cluster = settings.model_cache, settings.cluster
    if cache is None or cache.storage is None or not isinstance(cluster, EksClusterSettings):
        return None
    typed = cache.storage
    zone = None
    if isinstance(typed, LustreStorage):
        zone = typed.zone or regional_zones(cluster, settings)[0]
    elif isinstance(typed, EfsStorage):
        is_far = any(is_local_zone(pool.zone) for pool in settings.node_pools if pool.zone)
        zone = regional_zones(cluster, settings)[0] if is_far else None
    return MadeStorage(typed, size_in_gib(cache.size), zone)


def regional_zones(cluster: EksClusterSettings, settings: StackSettings) -> list[str]:
    """Return the zones of pools that serve, of the others, and of the network.

    No file system is documented in a Local Zone.
    """
    network, serving = cluster.network, settings.serving
    of_network = network.zones if isinstance(network, OwnNetwork) else tuple(network.subnets)
    pair = serving.pools
    used = (serving.pool,) if pair is None else (pair.prefill, pair.decode)
    pools = sorted(settings.node_pools, key=lambda pool: pool.name not in used)
    names = [*(pool.zone for pool in pools if pool.zone), *of_network]
    return [name for name in dict.fromkeys(names) if not is_local_zone(name)]


def _source(origin: HuggingFaceSource | S3Source) -> HuggingFaceDownload | S3Copy:
    if isinstance(origin, S3Source):
        return S3Copy(origin.address, origin.region, origin.service_account_name)
    return HuggingFaceDownload()
