"""A recipe together with the decision where each of its services runs.

stacks/resolve.py makes the decision; the graph manifest is written from it. Nothing here decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from recipes.model import Recipe, Role, ServiceRecipe

RolloutStrategy = Literal["RollingUpdate", "Recreate"]


@dataclass(frozen=True, slots=True)
class Toleration:
    """A taint that pods of a service accept, in the words of the Kubernetes pod spec."""

    key: str
    operator: Literal["Exists", "Equal"]
    effect: Literal["NoSchedule"]
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    """How a new version of a worker replaces the running one, and why."""

    strategy: RolloutStrategy
    reason: str


@dataclass(frozen=True, slots=True)
class PoolPlacement:
    """The node pool whose GPUs a worker uses, and what its pods need to land there and nowhere else."""

    pool: str
    instance_type: str
    nodes: int
    """Nodes in the pool, not nodes that this worker needs."""
    node_selector: Mapping[str, str]
    tolerations: tuple[Toleration, ...]
    rollout: Rollout


@dataclass(frozen=True, slots=True)
class PlacedService:
    """One service of the graph with its replica count and, for a worker, its node pool."""

    recipe: ServiceRecipe
    replicas: int
    placement: PoolPlacement | None
    """None for a service without GPUs: it runs on any node that has none."""

    @property
    def name(self) -> str:
        """The service's name in the graph, as the recipe publishes it."""
        return self.recipe.service_name

    @property
    def role(self) -> Role:
        """frontend, prefill or decode."""
        return self.recipe.role

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.recipe.gpus


@dataclass(frozen=True, slots=True)
class PlacedRecipe:
    """Everything the graph manifest needs that is not the same in every cluster."""

    recipe: Recipe
    graph_name: str
    namespace: str
    services: tuple[PlacedService, ...]
    cache_claim_name: str

    @property
    def workers(self) -> tuple[PlacedService, ...]:
        """The services that have GPUs, in the recipe's order."""
        return tuple(service for service in self.services if service.placement is not None)
