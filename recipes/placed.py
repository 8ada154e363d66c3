"""A recipe together with the decision where and how each of its services runs.

stacks/plan/resolve.py makes the decision; the graph manifest is written from it. Nothing here decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engines.registry import Options
from engines.transport_setup import KvProfile, kv_profile
from hardware import InstanceType, KvPath, KvTransportName
from recipes.model import Recipe
from recipes.services import FrontendResources, PodRecipe, ServiceRecipe

RdmaFabric = Literal["infiniband", "roce"]
RolloutStrategy = Literal["RollingUpdate", "Recreate"]
TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


@dataclass(frozen=True, slots=True)
class Toleration:
    """A taint that pods of a service accept, in the words of the Kubernetes pod spec."""

    key: str
    operator: Literal["Exists", "Equal"]
    effect: TaintEffect
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    """How a new version of a worker replaces the running one, and why."""

    strategy: RolloutStrategy
    reason: str
    interruption: str
    """What clients notice meanwhile, as a sentence."""


@dataclass(frozen=True, slots=True)
class PodResources:
    """What one pod of a worker asks for beside GPUs."""

    cpu_request: int
    cpu_limit: int
    """CPUs. Equal to the request, which makes the pod Guaranteed: last to be evicted."""
    memory_gib: int
    """Request and limit in GiB. /dev/shm is memory, so it counts within."""


@dataclass(frozen=True, slots=True)
class PoolPlacement:
    """The node pool whose GPUs a worker uses, and what its pods need to land there and nowhere else."""

    pool: str
    instance_type: InstanceType
    node_selector: Mapping[str, str]
    tolerations: tuple[Toleration, ...]
    rollout: Rollout
    extended_resources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Network devices of one pod, such as vpc.amazonaws.com/efa: "4"."""
    rdma_fabric: RdmaFabric | None = None
    """What the pool's RDMA devices speak; None where it has none."""


@dataclass(frozen=True, slots=True)
class PlacedService(PodRecipe):
    """One service of the graph with the stack's replicas, its sizes and, for a worker, its node pool."""

    placement: PoolPlacement | None
    """Placement of the service's pods; None for a service without GPUs: it runs on any node that has none."""
    resources: PodResources | FrontendResources


@dataclass(frozen=True, slots=True)
class KvTransport:
    """How KV-cache blocks travel from prefill to decode workers."""

    path: KvPath
    """What is known of it on this hardware and runtime, in the pool where that is least."""
    paths: Mapping[str, KvPath]
    """Pool -> what it is and demands there."""
    explicit: bool
    """False: chosen because it is documented to work."""
    ceiling: str
    """What the path can carry, as a sentence."""
    placement: str
    """What it demands of placement, as a sentence; empty where nothing."""

    @property
    def name(self) -> KvTransportName:
        """mnnvl, rdma, efa or tcp."""
        return self.path.transport


@dataclass(frozen=True, slots=True)
class CacheNodes:
    """The nodes that alone have the model cache, so that whatever reads it runs on one of them."""

    selectors: tuple[Mapping[str, str], ...]
    """Labels of each pool's nodes."""
    tolerations: tuple[Toleration, ...]


@dataclass(frozen=True, slots=True)
class CopyNodes(CacheNodes):
    """Nodes with a copy each; of the others one node mounts the volume of the cache."""

    directory: str
    """Directory on each node that holds the node's copy of the model."""


@dataclass(frozen=True, slots=True)
class PlacedRecipe:
    """Everything the graph manifest needs that is not the same in every cluster."""

    recipe: Recipe
    """Recipe with the overrides and the replicas of the stack's settings."""
    instance: str
    """Stack by whose name the pods are labelled."""
    graph_name: str
    namespace: str
    services: tuple[PlacedService, ...]
    cache_claim_name: str
    """Not of a cache that lies in a directory of its nodes."""
    cache_nodes: CacheNodes | None = None
    """None: every node can mount the cache."""
    kv_transport: KvTransport | None = None
    """Transport of the KV cache; None for an aggregated recipe, whose KV cache never leaves the worker."""
    image_mirrors: Mapping[str, str] = field(default_factory=dict[str, str])
    """Registry host -> what stands in its place, for every image."""

    @property
    def cache_directory(self) -> str | None:
        """Directory on each node that has a copy of the model; None where the cache is a claim."""
        return self.cache_nodes.directory if isinstance(self.cache_nodes, CopyNodes) else None

    @property
    def workers(self) -> tuple[PlacedService, ...]:
        """The services that have GPUs, in the recipe's order."""
        return tuple(service for service in self.services if service.placement is not None)

    def kv_profile(self, service: PlacedService) -> KvProfile | None:
        """Return how the service is set up for the graph's KV transport; None where it transfers nothing."""
        if self.kv_transport is None or service.placement is None:
            return None
        return kv_profile(
            self.kv_transport.name,
            self.recipe.serving_engine.transports,
            instance_type=service.placement.instance_type,
            runtime_version=self.recipe.runtime.version,
            roce=service.placement.rdma_fabric == "roce",
        )

    def engine_options(self, service: PlacedService, process: ServiceRecipe) -> Options:
        """Return the engine options of a worker process of the service with what the KV transport sets."""
        profile = self.kv_profile(service)
        if profile is None:
            return process.options
        return self.recipe.serving_engine.with_transport(process.options, profile)

    @property
    def compute_domain(self) -> str | None:
        """Name of the NVLink partition that all workers share, where the KV transport is mnnvl; else None."""
        is_mnnvl = self.kv_transport is not None and self.kv_transport.name == "mnnvl"
        return f"{self.graph_name}-compute-domain" if is_mnnvl else None

    @property
    def channel_template(self) -> str:
        """Name of the ResourceClaimTemplate that the DRA driver makes; pods claim their channel by it."""
        return f"{self.graph_name}-channel"

    @property
    def same_clique(self) -> bool:
        """All workers must be on nodes of one NVLink clique."""
        return self.kv_transport is not None and self.kv_transport.path.same_clique
