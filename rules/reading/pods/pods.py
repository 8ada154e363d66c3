"""Every pod that a graph asks for: of services of a Dynamo graph and of plain workloads."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from resource_graph import Path, Resource, ResourceGraph, Value
from rules.reading.shapes import (
    Undecided,
    attempted,
    indexed,
    mapping_at,
    mappings_at,
    memoized_all,
    text_at,
    whole_number_at,
)

GRAPH_KIND = "DynamoGraphDeployment"
GRAPH_NAME_LABEL = "nvidia.com/dynamo-graph-deployment-name"
"""Label that the operator writes on each pod of a graph (ai-dynamo/dynamo deploy/operator
internal/consts)."""
COMPONENT_LABEL = "nvidia.com/dynamo-component"
COMPONENT_TYPE_LABEL = "nvidia.com/dynamo-component-type"
SUB_COMPONENT_TYPE_LABEL = "nvidia.com/dynamo-sub-component-type"
T = TypeVar("T")
Shape = Literal["service", "component", "workload"]
_MAIN_CONTAINER = "main"
_TEMPLATE = ("spec", "template", "spec")
SPEC_PATHS: Mapping[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), _TEMPLATE),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
"""Kind of a workload -> path of the spec of its pods."""
GROUP_KIND = "LeaderWorkerSet"
GROUP = "leaderWorkerTemplate"
_LEADER, _MEMBER = ("leaderTemplate", "workerTemplate")
OF_GROUPS = "leaderworkerset.sigs.k8s.io/"
"""Beginning of labels of its pods (kubernetes-sigs/lws pkg/webhooks/pod_webhook.go at 2161f38)."""
GROUP_NAME_LABEL = f"{OF_GROUPS}name"
_INDEX_LABEL = f"{OF_GROUPS}worker-index"
COMPONENT_TYPES = ("frontend", "worker", "prefill", "decode", "planner", "epp")
"""Types of a component (ai-dynamo/dynamo deploy/operator, ComponentDefaultsFactory and v1beta1)."""
SUB_COMPONENT_TYPES = ("prefill", "decode")
WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
SYSTEM_PORT_VARIABLE = "DYN_SYSTEM_PORT"
"""Variable that holds the port at which a worker answers probes."""
FRONTEND_PORT_VARIABLE = "DYN_HTTP_PORT"
FRONTEND_PORT_FLAG = "--http-port"


@dataclass(frozen=True, slots=True, eq=False)
class PodTemplate:
    """Template of equal pods, and the resource that makes them."""

    resource: Resource
    name: str
    """The service or component of a graph; else the workload's name."""
    shape: Shape
    """`service` of a v1alpha1 graph, `component` of a v1beta1 graph, or a plain `workload`."""
    component_type: str | None
    """frontend, worker, prefill, decode, main …; None for a plain workload."""
    spec: Mapping[str, Value]
    containers: tuple[Mapping[str, Value], ...]
    """Main container first; init containers are in the spec."""
    labels: Mapping[str, Value]
    """What the pods will carry, the operator's labels included."""
    described_by: Mapping[str, Value]
    """The service's or component's mapping, or the workload's spec."""
    graph_spec: Mapping[str, Value]
    """Spec of the Dynamo graph; empty for a plain workload."""
    at: Path
    """Where the resource has the specification of the pods."""

    @property
    def main(self) -> Mapping[str, Value]:
        """The container that serves; empty where a component has none of that name."""
        return self.containers[0] if self.containers else {}

    @property
    def serving_containers(self) -> Sequence[Mapping[str, Value]]:
        """The main container of a service; every container of a workload."""
        return self.containers if self.shape == "workload" else self.containers[:1]

    @property
    def all_containers(self) -> Sequence[Mapping[str, Value]]:
        """Every container of the pod, those that only run at start included."""
        return (*self.containers, *mappings_at(self.spec, "initContainers"))

    @property
    def pods_per_replica(self) -> int:
        """Pods of one replica; more than one where a worker spans nodes."""
        if self.shape == "workload":
            return whole_number_at(self.described_by, GROUP, "size") or 1
        if self.described_by.get("multinode") is None:
            return 1
        # The CRD's default for a multinode service without a number.
        return whole_number_at(self.described_by, "multinode", "nodeCount") or 2

    @property
    def replicas(self) -> int:
        """Number of replicas that are asked for."""
        if self.resource.kind == "DaemonSet":
            raise Undecided("a DaemonSet has as many pods as there are nodes")
        key = "parallelism" if self.resource.kind in {"Job", "CronJob"} else "replicas"
        replicas = whole_number_at(self.described_by, key)
        return 1 if replicas is None else replicas


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Pods whose template cannot be read, and why."""

    resource: Resource
    name: str
    reason: str


def readable(found: Iterable[T | Unreadable]) -> Iterator[T]:
    """The things that can be read; a rule about all of them says which cannot."""
    return (each for each in found if not isinstance(each, Unreadable))


def each_readable(found: Iterable[T | Unreadable]) -> Iterator[T]:
    """The things, all of which are needed; raises Undecided where one cannot be read."""
    for each in found:
        if isinstance(each, Unreadable):
            raise Undecided(each.reason)
        yield each


def in_namespace(by_namespace: Mapping[str | None, Sequence[T]], namespace: Value) -> list[T]:
    """The things in the namespace; a namespace that is absent or unknown, here or there, may be any."""
    names = dict.fromkeys((namespace, None)) if isinstance(namespace, str) else by_namespace
    return [item for name in names for item in by_namespace.get(name, ())]


def may_be_one(left: Value, right: Value) -> bool:
    """Whether two namespaces can be the same; one that is absent or unknown may be any."""
    return not isinstance(left, str) or not isinstance(right, str) or left == right


@memoized_all
def read_pods(graph: ResourceGraph) -> Iterator[PodTemplate | Unreadable]:
    """All pod templates, in the order of the graph."""
    for kind in (GRAPH_KIND, GROUP_KIND, *SPEC_PATHS):
        for resource in graph.kubernetes_objects(kind):
            readers = attempted(_readers, resource)
            if isinstance(readers, Undecided):
                yield Unreadable(resource, resource.name, str(readers))
                continue
            for name, read in readers:
                template = attempted(read)
                is_read = isinstance(template, PodTemplate)
                yield template if is_read else Unreadable(resource, name, str(template))


def pods_near(graph: ResourceGraph, namespace: Value) -> Sequence[PodTemplate]:
    """The templates, as far as they can be read, whose pods are in the namespace or may be."""
    return in_namespace(_by_namespace(graph), namespace)


def declared_type(template: PodTemplate) -> str | None:
    """What the service or component is declared to be, its subtype aside; None where nobody says."""
    if template.shape == "service":
        return text_at(template.described_by, "componentType")
    return template.component_type


def gets_containers(template: PodTemplate) -> bool:
    """Whether labels or annotations ask a mesh or a collector for a container of its own in the pods."""
    annotations = mapping_at(template.described_by, "template", "metadata", "annotations")
    return any("inject" in key for key in (*template.labels, *annotations))


pods_by_resource = indexed(read_pods, lambda each: each.resource.urn)
"""Returns URN of a graph or workload -> its templates."""
_by_namespace = indexed(lambda graph: readable(read_pods(graph)), lambda each: each.resource.known_namespace)


def _readers(resource: Resource) -> Sequence[tuple[str, Callable[[], PodTemplate]]]:
    if resource.kind == GROUP_KIND:
        return _members(resource)
    if resource.kind != GRAPH_KIND:
        path = SPEC_PATHS[resource.kind or ""]
        # A CronJob's Jobs have the spec of its template, parallelism among it.
        described_by = path[:-2] or path
        return [(resource.name, partial(_workload, resource, resource.name, path, described_by))]
    spec = mapping_at(resource.inputs, "spec")
    services = mapping_at(spec, "services")
    readers = [(name, partial(_service, resource, spec, name)) for name in services]
    for index, component in enumerate(mappings_at(spec, "components")):
        name = text_at(component, "name") or "unnamed component"
        readers.append((name, partial(_component, resource, spec, index, name)))
    if not readers:
        raise Undecided("the graph names no service, so there is no worker to look at")
    return readers


def _service(resource: Resource, spec: Mapping[str, Value], name: str) -> PodTemplate:
    """A service of a v1alpha1 graph."""
    service = mapping_at(spec, "services", name)
    pod = mapping_at(service, "extraPodSpec")
    main = mapping_at(pod, "mainContainer")
    component_type = text_at(service, "componentType")
    sub_type = text_at(service, "subComponentType")
    own = {**mapping_at(service, "labels"), **mapping_at(service, "extraPodMetadata", "labels")}
    return PodTemplate(
        resource=resource,
        name=name,
        shape="service",
        component_type=sub_type or component_type,
        spec=pod,
        containers=(main, *mappings_at(pod, "containers")),
        labels={**own, **_operator_labels(resource, name, component_type, sub_type)},
        described_by=service,
        graph_spec=spec,
        at=("spec", "services", name, "extraPodSpec"),
    )


def _component(resource: Resource, spec: Mapping[str, Value], index: int, name: str) -> PodTemplate:
    """A component of a v1beta1 graph."""
    component = mappings_at(spec, "components")[index]
    pod = mapping_at(component, "podTemplate", "spec")
    containers = mappings_at(pod, "containers")
    main = [item for item in containers if text_at(item, "name") == _MAIN_CONTAINER]
    others = [item for item in containers if text_at(item, "name") != _MAIN_CONTAINER]
    component_type = text_at(component, "type")
    own = mapping_at(component, "podTemplate", "metadata", "labels")
    return PodTemplate(
        resource=resource,
        name=name,
        shape="component",
        component_type=component_type,
        spec=pod,
        containers=(*(main or [{}]), *others),
        labels={**own, **_operator_labels(resource, name, component_type, None)},
        described_by=component,
        graph_spec=spec,
        at=("spec", "components", index, "podTemplate", "spec"),
    )


def _members(resource: Resource) -> Sequence[tuple[str, Callable[[], PodTemplate]]]:
    """The pods of a LeaderWorkerSet, of which one, the leader, starts the engine over all of its group.

    A leader of its own stands for the pods of its group: its engine uses their GPUs (kubernetes-sigs/lws v1).
    """
    has_leader = _LEADER in mapping_at(resource.inputs, "spec", GROUP)
    described_by = {_LEADER: ("spec",), _MEMBER: None} if has_leader else {_MEMBER: ("spec",)}
    names = {part: part.removesuffix("Template") for part in described_by}
    return [
        (name, partial(_workload, resource, name, ("spec", GROUP, part, "spec"), described_by[part]))
        for part, name in names.items()
    ]


def _workload(
    resource: Resource, name: str, path: tuple[str, ...], described_by: tuple[str, ...] | None
) -> PodTemplate:
    """Pods whose spec stands at the path, and their number in the mapping that describes them, if any."""
    pod = mapping_at(resource.inputs, *path)
    metadata = mapping_at(resource.inputs, *path[:-1], "metadata")
    return PodTemplate(
        resource=resource,
        name=name,
        shape="workload",
        component_type=None,
        spec=pod,
        containers=tuple(mappings_at(pod, "containers")),
        labels={**mapping_at(metadata, "labels"), **_labels_of_group(resource, path)},
        described_by={"replicas": 0} if described_by is None else mapping_at(resource.inputs, *described_by),
        graph_spec={},
        at=path,
    )


def _labels_of_group(resource: Resource, path: tuple[str, ...]) -> Mapping[str, Value]:
    """What the controller of LeaderWorkerSets writes on all pods of a template."""
    leads = {_INDEX_LABEL: "0"} if _LEADER in path else {}
    return {GROUP_NAME_LABEL: resource.object_name, **leads} if resource.kind == GROUP_KIND else {}


def _operator_labels(
    resource: Resource, name: str, component_type: str | None, sub_type: str | None
) -> Mapping[str, Value]:
    if component_type == "worker" and sub_type in SUB_COMPONENT_TYPES:
        # The operator makes a v1beta1 component of it, whose one type is the narrower one
        # (ai-dynamo/dynamo deploy/operator api/v1alpha1 conversion at d50a02f).
        component_type = sub_type
    types = {COMPONENT_TYPE_LABEL: component_type, SUB_COMPONENT_TYPE_LABEL: sub_type}
    given = {label: text for label, text in types.items() if text is not None}
    return {GRAPH_NAME_LABEL: resource.object_name, COMPONENT_LABEL: name, **given}
