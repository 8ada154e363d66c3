"""Pods that take GPUs: how many of how many each, and in which pool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from resource_graph import ResourceGraph
from rules.reading.nodes.placements import Placement, read_candidates
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import PodTemplate, Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided


@dataclass(frozen=True, slots=True, eq=False)
class GpuPods:
    """The equal pods of one template, which ask for GPUs."""

    workers: tuple[Worker, ...]
    """Of the pod's containers, those that start an engine or ask for GPUs."""

    @property
    def template(self) -> PodTemplate:
        """What they are made from."""
        return self.workers[0].template

    @property
    def name(self) -> str:
        """For findings."""
        return ", ".join(worker.name for worker in self.workers)

    @property
    def gpus(self) -> int:
        """Of one pod."""
        return sum(worker.gpus_per_pod for worker in self.workers)

    @property
    def pods(self) -> int:
        """How many run at once.

        Raises:
            Undecided: nobody knows yet, or it depends on the nodes.
        """
        if self.template.resource.kind == "DaemonSet":
            raise Undecided("a DaemonSet has as many pods as there are nodes")
        return self.template.replicas * self.template.pods_per_replica

    @property
    def counted(self) -> str:
        """How many GPUs they take, for a sum: `4 of decode`, `2 x 1 of prefill`."""
        times = f"{self.pods} x " if self.pods > 1 else ""
        return f"{times}{self.gpus} of {self.name}"


@dataclass(slots=True)
class Occupied:
    """What runs in one pool."""

    placement: Placement
    pods: list[GpuPods] = field(default_factory=list[GpuPods])
    sizes: dict[int, int] = field(default_factory=dict[int, int])
    """GPUs of a pod -> pods, without those that no node of the pool can take."""

    def add(self, pods: GpuPods) -> None:
        """Count further pods."""
        self.pods.append(pods)
        if pods.gpus <= self.placement.instance_type.gpus:
            self.sizes[pods.gpus] = self.sizes.get(pods.gpus, 0) + pods.pods


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Which pods run where, as far as the graph says."""

    pools: Mapping[str, Occupied]
    homeless: Sequence[tuple[GpuPods, str]]
    """Pods whose pool or number is not known, and why; those that no pool takes are not among them."""


@once_per_graph
def read_gpu_pods(graph: ResourceGraph) -> Sequence[GpuPods | Unreadable]:
    """All templates whose pods ask for GPUs, in the order of the graph."""
    found: list[GpuPods | Unreadable] = []
    workers: list[Worker] = []
    for worker in (*read_workers(graph), None):
        if workers and (not isinstance(worker, Worker) or worker.template is not workers[0].template):
            if any(each.gpus_per_pod for each in workers):
                found.append(GpuPods(tuple(workers)))
            workers = []
        if isinstance(worker, Worker):
            workers.append(worker)
        elif worker is not None:
            found.append(worker)
    return tuple(found)


@once_per_graph
def templates_with_gpus(graph: ResourceGraph) -> frozenset[PodTemplate]:
    """The templates whose pods ask for GPUs, and so run in one of the pools."""
    return frozenset(pods.template for pods in read_gpu_pods(graph) if not isinstance(pods, Unreadable))


@once_per_graph
def read_occupancy(graph: ResourceGraph) -> Occupancy:
    """The pool of each pod with GPUs, all graphs and workloads together."""
    pools: dict[str, Occupied] = {}
    homeless: list[tuple[GpuPods, str]] = []
    for pods in read_gpu_pods(graph):
        if isinstance(pods, Unreadable):
            continue
        try:
            placement = home(graph, pods)
            if placement is not None and pods.pods:
                pools.setdefault(placement.pool, Occupied(placement)).add(pods)
        except Undecided as reason:
            homeless.append((pods, str(reason)))
    return Occupancy(pools, homeless)


def home(graph: ResourceGraph, pods: GpuPods) -> Placement | None:
    """The one pool that the pods run in; None where their node selection allows none.

    Raises:
        Undecided: no pool is known, or several are possible.
    """
    candidates = read_candidates(graph, pods.workers[0])
    if len(candidates) > 1:
        names = ", ".join(candidate.pool for candidate in candidates)
        raise Undecided(f"its node selection allows several pools: {names}")
    return candidates[0] if candidates else None
