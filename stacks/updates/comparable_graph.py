"""A graph's services as far as updates go: what the operator compares, and what takes room.

A graph that a state has as v1alpha1 is made again whatever its services hold, so that none of them is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from components.dynamo_objects import COMPONENT, FRONTEND_PORT, frontend_service
from hardware import GPU_RESOURCE
from recipes.graph_manifest import graph_spec
from recipes.placed import RolloutStrategy
from recipes.pod_environment import MAIN_CONTAINER
from recipes.server_manifest import server_deployment
from stacks.plan.stack_plan import StackPlan
from stacks.updates.nested_values import mapping_in, mappings_in

_WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
# The three annotations of a rollout begin with it (ai-dynamo/dynamo#4990).
_ROLLOUT = "nvidia.com/deployment-"
_STRATEGY = f"{_ROLLOUT}strategy"
# The operator leaves these out when it compares workers with those that run: all else of a service, its
# own annotations too, makes another generation (ai-dynamo/dynamo deploy/operator/internal/dynamo/hash.go).
_NOT_COMPARED = frozenset({"name", "replicas", "scalingAdapter"})
_SIZES = frozenset({GPU_RESOURCE, "cpu", "memory"})
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Service:
    """One service of a graph."""

    name: str
    is_worker: bool
    """Whether the operator rolls it together with all others of its kind."""
    replicas: int
    gpus: int
    """Each pod's number."""
    node_selector: Mapping[str, str]
    strategy: RolloutStrategy | None
    """RollingUpdate or Recreate; None: nothing was written."""
    template: Mapping[str, Any]
    """The template of its pods; two that are equal make equal pods."""
    apart_from_rollout: Mapping[str, Any]
    """The template without the rollout's annotations. They stand on the pod template, so that another
    strategy alone restarts every worker."""
    neighbours: Mapping[str, Any]
    """Demands of the KV transport on the place: required affinities, claims, kinds of network devices."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What serves: a DynamoGraphDeployment, or the Deployment of a server without Dynamo."""

    name: str
    namespace: str
    api: Literal["v1alpha1", "v1beta1", "apps/v1"]
    services: Mapping[str, Service]
    urn: str | None = None
    """The resource in the state; None for a graph that is not from there."""

    @property
    def is_server(self) -> bool:
        """Whether it is the Deployment of a server without Dynamo."""
        return self.api == "apps/v1"

    @property
    def workers(self) -> tuple[Service, ...]:
        """The services with GPUs."""
        return tuple(service for service in self.services.values() if service.is_worker)

    @property
    def others(self) -> tuple[Service, ...]:
        """The services without GPUs: frontends."""
        return tuple(service for service in self.services.values() if not service.is_worker)

    @property
    def address(self) -> str:
        """Address of the graph for clients inside the cluster."""
        return f"{frontend_service(self.name)}.{self.namespace}.svc.cluster.local:{FRONTEND_PORT}"

    def has_place_of(self, other: "Graph") -> bool:
        """Whether it has the name and the namespace of the other."""
        return (self.name, self.namespace) == (other.name, other.namespace)

    def makes_same_workers(self, other: "Graph") -> bool:
        """Whether no worker restarts when one becomes the other, both of the same API version."""
        mine, others = ({one.name: one.template for one in each.workers} for each in (self, other))
        return mine == others

    def differs_in_rollout_at_most(self, other: "Graph") -> bool:
        """Whether workers would restart for another rollout strategy at most."""
        mine, others = ({one.name: one.apart_from_rollout for one in each.workers} for each in (self, other))
        return self.api == other.api and mine == others


def graph_of(stack: StackPlan) -> Graph:
    """Return the graph that the stack asks for."""
    placed = stack.serving.placed
    if placed.recipe.engine_server is not None:
        return read_server(placed.graph_name, placed.namespace, server_deployment(placed))
    return read_graph(placed.graph_name, placed.namespace, graph_spec(placed))


def read_graph(name: str, namespace: str, spec: Mapping[str, Any], urn: str | None = None) -> Graph:
    """Return the graph with this `spec`."""
    services = {str(each.get("name")): _service(each) for each in mappings_in(spec, "components")}
    return Graph(name, namespace, "v1alpha1" if "services" in spec else "v1beta1", services, urn)


def read_server(name: str, namespace: str, spec: Mapping[str, Any], urn: str | None = None) -> Graph:
    """Return what serves by the Deployment with this `spec`; its one kind of pod is a worker."""
    template = mapping_in(spec, "template")
    strategy = mapping_in(spec, "strategy")
    service = str(mapping_in(template, "metadata", "labels").get(COMPONENT))
    component = {
        "name": service,
        "type": "worker",
        "replicas": spec.get("replicas", 1),
        "podTemplate": {
            "spec": mapping_in(template, "spec"),
            "metadata": {
                "annotations": {_STRATEGY: strategy.get("type")},
                "labels": mapping_in(template, "metadata", "labels"),
            },
        },
    }
    return Graph(name, namespace, "apps/v1", {service: _service(component)}, urn)


def _service(component: Mapping[str, Any]) -> Service:
    pod = mapping_in(component, "podTemplate", "spec")
    affinity = mapping_in(pod, "affinity")
    named = (each for each in mappings_in(pod, "containers") if each.get("name") == MAIN_CONTAINER)
    limits = mapping_in(next(named, None), "resources", "limits")
    metadata = mapping_in(component, "podTemplate", "metadata")
    annotations = mapping_in(metadata, "annotations")
    others = {key: value for key, value in annotations.items() if not key.startswith(_ROLLOUT)}
    template = {key: value for key, value in component.items() if key not in _NOT_COMPARED}
    return Service(
        name=str(component.get("name")),
        is_worker=component.get("type") in _WORKER_TYPES,
        replicas=_number(component.get("replicas"), otherwise=1),
        gpus=_number(limits.get(GPU_RESOURCE), otherwise=0),
        node_selector=mapping_in(pod, "nodeSelector"),
        strategy=_strategy(annotations.get(_STRATEGY)),
        template=template,
        apart_from_rollout=template
        | {"podTemplate": {"spec": pod, "annotations": others, "labels": mapping_in(metadata, "labels")}},
        neighbours={
            "together": mapping_in(affinity, "podAffinity").get(_REQUIRED),
            "apart": mapping_in(affinity, "podAntiAffinity").get(_REQUIRED),
            "claims": pod.get("resourceClaims"),
            "devices": sorted(limits.keys() - _SIZES),
        },
    )


def _number(written: Any, *, otherwise: int) -> int:
    """Return a number of pods or GPUs; the other one where it is null, or known only to the update."""
    try:
        # Whole numbers come back from the engine as 3.0.
        return int(written)
    except (TypeError, ValueError):
        return otherwise


def _strategy(written: object) -> RolloutStrategy | None:
    known: tuple[RolloutStrategy, ...] = ("RollingUpdate", "Recreate")
    return next((strategy for strategy in known if strategy == written), None)
