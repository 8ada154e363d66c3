"""A graph's services as far as updates go: what the operator compares, and what takes room.

Read from the `spec` of either API version, so that the graph in the state and the one that is wanted are
compared in the same words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import GraphApi, RolloutStrategy
from stacks.plan.stack_plan import StackPlan
from stacks.updates.components import GPU, components_in, main_container
from stacks.updates.nested import mapping_in

_WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
# What the three annotations of a rollout begin with (ai-dynamo/dynamo#4990).
_ROLLOUT = "nvidia.com/deployment-"
_STRATEGY = f"{_ROLLOUT}strategy"
# What the operator leaves out when it compares workers with those that run: everything else of a service, its
# own annotations too, makes another generation (ai-dynamo/dynamo deploy/operator/internal/dynamo/hash.go).
_NOT_COMPARED = frozenset({"name", "replicas", "scalingAdapter"})
_SIZES = frozenset({GPU, "cpu", "memory"})
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Service:
    """One service of a graph."""

    name: str
    is_worker: bool
    """Whether the operator rolls it together with all others of its kind."""
    replicas: int
    gpus: int
    """Of one pod."""
    node_selector: Mapping[str, str]
    strategy: RolloutStrategy | None
    """RollingUpdate or Recreate; None: nothing was written."""
    template: Mapping[str, Any]
    """What its pods are made from; two that are equal make equal pods."""
    apart_from_rollout: Mapping[str, Any]
    """The same without the rollout's annotations. Those stand on the pod template, so that another strategy
    alone restarts every worker."""
    neighbours: Mapping[str, Any]
    """What the KV transport demands of the place: required affinities, claims, kinds of network devices."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A DynamoGraphDeployment."""

    name: str
    namespace: str
    api: GraphApi
    services: Mapping[str, Service]
    urn: str | None = None
    """Of the resource in the state; None where it is not from there."""

    @property
    def workers(self) -> tuple[Service, ...]:
        """What has GPUs."""
        return tuple(service for service in self.services.values() if service.is_worker)

    @property
    def others(self) -> tuple[Service, ...]:
        """Frontends."""
        return tuple(service for service in self.services.values() if not service.is_worker)

    @property
    def address(self) -> str:
        """Where clients inside the cluster reach it."""
        return f"{self.name}-frontend.{self.namespace}.svc.cluster.local:8000"

    def has_place_of(self, other: "Graph") -> bool:
        """Whether it has the name and the namespace of the other."""
        return (self.name, self.namespace) == (other.name, other.namespace)

    def makes_same_workers(self, other: "Graph") -> bool:
        """Whether no worker restarts when one becomes the other, both of the same API version."""
        return _templates(self) == _templates(other)

    def differs_in_rollout_at_most(self, other: "Graph") -> bool:
        """Whether workers would restart for another rollout strategy at most."""
        mine = {worker.name: worker.apart_from_rollout for worker in self.workers}
        return self.api == other.api and mine == {
            worker.name: worker.apart_from_rollout for worker in other.workers
        }


def graph_of(stack: StackPlan) -> Graph:
    """Return the graph that the stack asks for."""
    placed = stack.serving.placed
    spec = graph_spec(placed, engine_files(placed).name, stack.platform.graph_api)
    return read_graph(placed.graph_name, placed.namespace, spec)


def read_graph(name: str, namespace: str, spec: Mapping[str, Any], urn: str | None = None) -> Graph:
    """Return the graph with this `spec`."""
    services = {str(component["name"]): _service(component) for component in components_in(spec)}
    return Graph(name, namespace, "v1alpha1" if "services" in spec else "v1beta1", services, urn)


def _service(component: Mapping[str, Any]) -> Service:
    pod = mapping_in(component, "podTemplate", "spec")
    affinity = mapping_in(pod, "affinity")
    limits = mapping_in(main_container(component), "resources", "limits")
    annotations = mapping_in(component, "podTemplate", "metadata", "annotations")
    others = {key: value for key, value in annotations.items() if not key.startswith(_ROLLOUT)}
    is_worker = component.get("type") in _WORKER_TYPES
    template = {key: value for key, value in component.items() if key not in _NOT_COMPARED}
    if not is_worker:
        # Nothing compares these but the pods themselves, which have them.
        template.pop("annotations", None)
    return Service(
        name=str(component["name"]),
        is_worker=is_worker,
        # Whole numbers come back from the engine as 3.0.
        replicas=int(component.get("replicas", 1)),
        gpus=int(limits.get(GPU) or 0),
        node_selector=mapping_in(pod, "nodeSelector"),
        strategy=_strategy(annotations.get(_STRATEGY)),
        template=template,
        apart_from_rollout=template | {"podTemplate": {"spec": pod, "annotations": others}},
        neighbours={
            "together": mapping_in(affinity, "podAffinity").get(_REQUIRED),
            "apart": mapping_in(affinity, "podAntiAffinity").get(_REQUIRED),
            "claims": pod.get("resourceClaims"),
            "devices": sorted(limits.keys() - _SIZES),
        },
    )


def _strategy(written: object) -> RolloutStrategy | None:
    known: tuple[RolloutStrategy, ...] = ("RollingUpdate", "Recreate")
    return next((strategy for strategy in known if strategy == written), None)


def _templates(graph: Graph) -> dict[str, Mapping[str, Any]]:
    return {worker.name: worker.template for worker in graph.workers}
