"""What a benchmark measures: the graph or the pods behind the address that it sends requests to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.benchmarks.benchmarks import Benchmark, BenchmarkRun
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, read_pods
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided, mapping_at

_T = TypeVar("_T")
_ByNamespace: TypeAlias = Mapping[str | None, Sequence[_T]]


@dataclass(frozen=True, slots=True)
class Target:
    """A deployment that answers at one address."""

    resource: Resource
    """The graph, or the Service before plain pods."""
    workers: tuple[Worker, ...]
    """All of it that ask for GPUs."""

    @property
    def name(self) -> str:
        """For findings."""
        return self.resource.name

    @property
    def is_disaggregated(self) -> bool:
        """Whether some of the workers only fill KV caches."""
        return any(read_role(worker) == "prefill" for worker in self.workers)

    @property
    def generating(self) -> tuple[Worker, ...]:
        """The workers that generate tokens: all but those that only fill KV caches."""
        return tuple(worker for worker in self.workers if read_role(worker) != "prefill")


def worker_gpus(worker: Worker) -> int:
    """GPUs of all its pods.

    Raises:
        Undecided: nobody knows yet how many replicas there are.
    """
    return worker.gpus_per_pod * worker.pods_per_worker * worker.template.replicas


def read_target(graph: ResourceGraph, benchmark: Benchmark, run: BenchmarkRun) -> Target:
    """The deployment at the run's address.

    Raises:
        Undecided: the address is unknown, or leads to nothing, or to several things, that the graph holds.
    """
    url = run.url
    if url is None or not isinstance(url.value, str):
        raise Undecided("the benchmark names no address")
    host = url.value.rpartition("://")[2].partition("/")[0].partition(":")[0]
    service, _, rest = host.partition(".")
    namespace: Value = rest.partition(".")[0] or benchmark.resource.namespace
    found = _in_namespace(_by_service_name(graph).get(service, {}), namespace)
    if not found:
        raise Undecided(f"what answers at {url.value} is not part of what was read")
    if len(found) > 1:
        raise Undecided(f"{len(found)} things that were read answer at {url.value}")
    workers = tuple(worker for worker in _workers(graph, found[0]) if worker.gpus_per_pod)
    if not workers:
        raise Undecided(f"nothing says which workers serve behind {url.value}")
    return Target(found[0], workers)


@once_per_graph
def _by_service_name(graph: ResourceGraph) -> Mapping[str, _ByNamespace[Resource]]:
    names: dict[str, dict[str | None, list[Resource]]] = {}
    for template in read_pods(graph):
        if isinstance(template, Unreadable) or template.shape == "workload":
            continue
        # The operator calls a component's Service so.
        name = f"{template.resource.object_name}-{template.name}".lower().replace(".", "-")
        _add(names.setdefault(name, {}), template.resource)
    for service in graph.kubernetes_objects("Service"):
        if isinstance(service.object_name, str):
            _add(names.setdefault(service.object_name, {}), service)
    return names


def _add(by_namespace: dict[str | None, list[Resource]], resource: Resource) -> None:
    by_namespace.setdefault(_namespace(resource.namespace), []).append(resource)


def _workers(graph: ResourceGraph, resource: Resource) -> Sequence[Worker]:
    if resource.kind == GRAPH_KIND:
        workers: list[Worker] = []
        for worker in _by_resource(graph).get(resource.urn, ()):
            if isinstance(worker, Unreadable):
                raise Undecided(worker.reason)
            workers.append(worker)
        return workers
    selector = mapping_at(resource.inputs, "spec", "selector")
    if not selector:
        return ()
    key, value = next(iter(selector.items()))
    candidates = _in_namespace(_by_label(graph).get((key, str(value)), {}), resource.namespace)
    return [worker for worker in candidates if _is_selected(worker.template, selector)]


@once_per_graph
def _by_resource(graph: ResourceGraph) -> Mapping[str, Sequence[Worker | Unreadable]]:
    workers: dict[str, list[Worker | Unreadable]] = {}
    for worker in read_workers(graph):
        workers.setdefault(worker.resource.urn, []).append(worker)
    return workers


@once_per_graph
def _by_label(graph: ResourceGraph) -> Mapping[tuple[str, str], _ByNamespace[Worker]]:
    workers: dict[tuple[str, str], dict[str | None, list[Worker]]] = {}
    for worker in read_workers(graph):
        if isinstance(worker, Unreadable):
            continue
        namespace = _namespace(worker.resource.namespace)
        for key, value in worker.template.labels.items():
            workers.setdefault((key, str(value)), {}).setdefault(namespace, []).append(worker)
    return workers


def _is_selected(template: PodTemplate, selector: Mapping[str, Value]) -> bool:
    return all(template.labels.get(key) == value for key, value in selector.items())


def _in_namespace(by_namespace: _ByNamespace[_T], namespace: Value) -> list[_T]:
    """What is in the namespace; one that is absent or unknown, here or there, may be any."""
    wanted = _namespace(namespace)
    names = by_namespace if wanted is None else dict.fromkeys((wanted, None))
    return [item for name in names for item in by_namespace.get(name, ())]


def _namespace(value: Value) -> str | None:
    return value if isinstance(value, str) else None
