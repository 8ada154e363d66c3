"""Workers: whatever in a graph starts an engine or asks for GPUs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, undecided
from rules.reading.containers import read_environment
from rules.reading.shapes import (
    Undecided,
    field,
    mapping_at,
    mappings_at,
    text_at,
    texts_at,
    whole_number,
    whole_number_at,
)
from rules.reading.start_script import StartCommand, start_commands
from rules.reading.words import Word

GRAPH_KIND = "DynamoGraphDeployment"

_GPU_RESOURCE = "nvidia.com/gpu"
_MAIN_CONTAINER = "main"
_POD_PATHS: Mapping[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    "Deployment": ("spec", "template", "spec"),
    "StatefulSet": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "ReplicaSet": ("spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}


@dataclass(frozen=True, slots=True)
class Worker:
    """One service of a graph, or one container of a plain workload."""

    resource: Resource
    name: str
    gpus_per_pod: int
    pods_per_worker: int
    """More than one where the worker spans nodes."""
    environment: Mapping[str, Word]
    commands: tuple[StartCommand, ...]
    """The engines that it starts; none where its image's own command does, or something unknown."""
    pod: Mapping[str, Value]
    container: Mapping[str, Value]
    described_by: Mapping[str, Value]
    """The service, the component or the workload's spec: where its replicas stand."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A place where a worker may be described, before any of it is read."""

    name: str
    pod: Mapping[str, Value]
    container: Mapping[str, Value]
    environments: tuple[Sequence[Mapping[str, Value]], ...]
    gpus: Callable[[], int]
    described_by: Mapping[str, Value]
    pods_per_worker: int = 1


# All rules look at the same workers, and reading one means reading its start script. A graph never changes.
_read: WeakKeyDictionary[ResourceGraph, tuple[Worker | Observation, ...]] = WeakKeyDictionary()


def check_workers(
    graph: ResourceGraph, check: Callable[[Worker], Iterable[Observation]]
) -> Iterator[Observation]:
    """Apply a check to every worker; what cannot be read becomes an undecided observation."""
    if graph not in _read:
        _read[graph] = tuple(_read_workers(graph))
    for worker in _read[graph]:
        if isinstance(worker, Observation):
            yield worker
            continue
        try:
            yield from check(worker)
        except Undecided as reason:
            yield undecided(worker.resource, worker.name, str(reason))


def _read_workers(graph: ResourceGraph) -> Iterator[Worker | Observation]:
    for resource in graph.kubernetes_objects():
        try:
            readers = _readers(resource)
        except Undecided as reason:
            yield undecided(resource, resource.name, str(reason))
            continue
        for name, read in readers:
            try:
                worker = _worker(graph, resource, read())
            except Undecided as reason:
                yield undecided(resource, name, str(reason))
                continue
            if worker is not None:
                yield worker


def _readers(resource: Resource) -> Sequence[tuple[str, Callable[[], _Source]]]:
    if resource.kind == GRAPH_KIND:
        readers = _graph_readers(resource)
        if not readers:
            raise Undecided("the graph names no service, so there is no worker to look at")
        return readers
    path = _POD_PATHS.get(resource.kind or "")
    if path is None:
        return ()
    pod = mapping_at(resource.inputs, *path)
    workload = mapping_at(resource.inputs, "spec")
    return [
        (text_at(container, "name") or resource.name, _bound(_container_source, workload, pod, container))
        for container in mappings_at(pod, "containers")
    ]


def _graph_readers(resource: Resource) -> Sequence[tuple[str, Callable[[], _Source]]]:
    spec = mapping_at(resource.inputs, "spec")
    services = mapping_at(spec, "services")
    readers = [(name, _bound(_service_source, spec, services, name)) for name in services]
    for component in mappings_at(spec, "components"):
        name = text_at(component, "name") or "unnamed component"
        readers.append((name, _bound(_component_source, spec, component)))
    return readers


def _service_source(spec: Mapping[str, Value], services: Mapping[str, Value], name: str) -> _Source:
    """A service of a v1alpha1 graph."""
    service = mapping_at(services, name)
    pod = mapping_at(service, "extraPodSpec")
    container = mapping_at(pod, "mainContainer")
    return _Source(
        name=name,
        pod=pod,
        container=container,
        # The operator lets a service override the graph, and the main container the service.
        environments=(mappings_at(spec, "envs"), mappings_at(service, "envs"), mappings_at(container, "env")),
        gpus=lambda: _service_gpus(service, container),
        described_by=service,
        pods_per_worker=_pods_per_worker(service),
    )


def _component_source(spec: Mapping[str, Value], component: Mapping[str, Value]) -> _Source:
    """A component of a v1beta1 graph."""
    pod = mapping_at(component, "podTemplate", "spec")
    main = [item for item in mappings_at(pod, "containers") if text_at(item, "name") == _MAIN_CONTAINER]
    container: Mapping[str, Value] = main[0] if main else {}
    return _Source(
        name=text_at(component, "name") or "unnamed component",
        pod=pod,
        container=container,
        environments=(mappings_at(spec, "env"), mappings_at(container, "env")),
        gpus=lambda: _container_gpus(container),
        described_by=component,
        pods_per_worker=_pods_per_worker(component),
    )


def _container_source(
    workload: Mapping[str, Value], pod: Mapping[str, Value], container: Mapping[str, Value]
) -> _Source:
    return _Source(
        name=text_at(container, "name") or "unnamed container",
        pod=pod,
        container=container,
        environments=(mappings_at(container, "env"),),
        gpus=lambda: _container_gpus(container),
        described_by=workload,
    )


def _worker(graph: ResourceGraph, resource: Resource, source: _Source) -> Worker | None:
    environment = read_environment(graph, resource, source.environments)
    command = texts_at(source.container, "command")
    arguments = texts_at(source.container, "args")
    gpus = source.gpus()
    commands = tuple(start_commands(command, arguments, environment))
    if not gpus and not commands:
        return None
    return Worker(
        resource=resource,
        name=source.name,
        gpus_per_pod=gpus,
        pods_per_worker=source.pods_per_worker,
        environment=environment,
        commands=commands,
        pod=source.pod,
        container=source.container,
        described_by=source.described_by,
    )


def _service_gpus(service: Mapping[str, Value], container: Mapping[str, Value]) -> int:
    for kind in ("limits", "requests"):
        amount = whole_number_at(service, "resources", kind, "gpu")
        if amount is not None:
            return amount
        custom = field(service, "resources", kind, "custom", _GPU_RESOURCE)
        if custom is not None:
            return whole_number(custom, f"resources.{kind}.custom.{_GPU_RESOURCE}")
    return _container_gpus(container)


def _container_gpus(container: Mapping[str, Value]) -> int:
    for kind in ("limits", "requests"):
        amount = whole_number_at(container, "resources", kind, _GPU_RESOURCE)
        if amount is not None:
            return amount
    return 0


def _pods_per_worker(service: Mapping[str, Value]) -> int:
    if service.get("multinode") is None:
        return 1
    # The CRD's default for a multinode service without a number.
    return whole_number_at(service, "multinode", "nodeCount") or 2


def _bound(read: Callable[..., _Source], *arguments: object) -> Callable[[], _Source]:
    return lambda: read(*arguments)
