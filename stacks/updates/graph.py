"""A graph's services as far as updates go: what the operator compares, and what takes room.

Read from the `spec` of either API version, so that the graph in the state and the one that is wanted are
compared in the same words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import RolloutStrategy
from stacks.resolved import ResolvedStack
from stacks.updates.nested import mapping_in, mappings_in

_WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
# What the three annotations of a rollout begin with (ai-dynamo/dynamo#4990).
_ROLLOUT = "nvidia.com/deployment-"
_STRATEGY = f"{_ROLLOUT}strategy"
_MAIN_CONTAINER = "main"
_GPU = "nvidia.com/gpu"
# What the operator leaves out of its hash of the workers, because it does not reach a pod's template
# (ai-dynamo/dynamo#6110).
_OUTSIDE_OF_TEMPLATE = frozenset(
    {
        "annotations",
        "autoscaling",
        "componentType",
        "dynamoNamespace",
        "eppConfig",
        "ingress",
        "labels",
        "modelRef",
        "name",
        "replicas",
        "scalingAdapter",
        "serviceName",
        "subComponentType",
        "type",
    }
)
_SIZES = frozenset({"gpu", _GPU, "cpu", "memory", "custom"})
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
    """The same without the rollout's annotations. In v1beta1 those stand on the pod template, so that another
    strategy alone restarts every worker."""
    neighbours: Mapping[str, Any]
    """What the KV transport demands of the place: required affinities, claims, kinds of network devices."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A DynamoGraphDeployment."""

    name: str
    namespace: str
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
        """Whether no worker restarts when one becomes the other."""
        return _templates(self) == _templates(other)

    def differs_in_rollout_at_most(self, other: "Graph") -> bool:
        """Whether workers would restart for another rollout strategy at most."""
        mine = {worker.name: worker.apart_from_rollout for worker in self.workers}
        return mine == {worker.name: worker.apart_from_rollout for worker in other.workers}


def graph_of(stack: ResolvedStack) -> Graph:
    """Return the graph that the stack asks for."""
    placed = stack.serving.placed
    spec = graph_spec(placed, engine_files(placed).name, stack.platform.graph_api)
    return read_graph(placed.graph_name, placed.namespace, spec)


def read_graph(name: str, namespace: str, spec: Mapping[str, Any], urn: str | None = None) -> Graph:
    """Return the graph with this `spec`."""
    components = mappings_in(spec, "components")
    services = {str(component["name"]): _v1beta1(component) for component in components}
    for key, service in mapping_in(spec, "services").items():
        services[key] = _v1alpha1(key, mapping_in(service))
    return Graph(name, namespace, services, urn)


def _v1alpha1(name: str, service: Mapping[str, Any]) -> Service:
    limits = mapping_in(service, "resources", "limits")
    template = {key: value for key, value in service.items() if key not in _OUTSIDE_OF_TEMPLATE}
    return _service(
        name,
        service,
        kinds=(service.get("componentType"), service.get("subComponentType")),
        limits={**limits, **mapping_in(limits, "custom")},
        pod=mapping_in(service, "extraPodSpec"),
        annotations=mapping_in(service, "annotations"),
        template=template,
        apart_from_rollout=template,
    )


def _v1beta1(component: Mapping[str, Any]) -> Service:
    pod = mapping_in(component, "podTemplate", "spec")
    limits: Mapping[str, Any] = {}
    for container in mappings_in(pod, "containers"):
        if container.get("name") == _MAIN_CONTAINER:
            limits = mapping_in(container, "resources", "limits")
    template = {key: value for key, value in component.items() if key not in _OUTSIDE_OF_TEMPLATE}
    annotations = mapping_in(component, "podTemplate", "metadata", "annotations")
    others = {key: value for key, value in annotations.items() if not key.startswith(_ROLLOUT)}
    return _service(
        str(component["name"]),
        component,
        kinds=(component.get("type"),),
        limits=limits,
        pod=pod,
        annotations=annotations,
        template=template,
        apart_from_rollout=template | {"podTemplate": pod, "annotations": others},
    )


def _service(
    name: str,
    service: Mapping[str, Any],
    *,
    kinds: tuple[object, ...],
    limits: Mapping[str, Any],
    pod: Mapping[str, Any],
    annotations: Mapping[str, str],
    template: Mapping[str, Any],
    apart_from_rollout: Mapping[str, Any],
) -> Service:
    affinity = mapping_in(pod, "affinity")
    return Service(
        name=name,
        is_worker=bool(_WORKER_TYPES & set(kinds)),
        # Whole numbers come back from the engine as 3.0.
        replicas=int(service.get("replicas", 1)),
        gpus=int(limits.get("gpu") or limits.get(_GPU) or 0),
        node_selector=mapping_in(pod, "nodeSelector"),
        strategy=_strategy(annotations.get(_STRATEGY)),
        template=template,
        apart_from_rollout=apart_from_rollout,
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
