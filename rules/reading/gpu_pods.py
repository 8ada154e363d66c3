"""Pods that take GPUs: how many of how many each, in which pool, and whether they fit on its nodes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from resource_graph import ResourceGraph
from rules.reading.devices import read_channel_claims
from rules.reading.placements import read_candidates, read_placement
from rules.reading.pods.pods import PodTemplate, Unreadable, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.pools import Pool
from rules.reading.shapes import Undecided, known, memoized, memoized_all


@dataclass(frozen=True, slots=True, eq=False)
class GpuPods:
    """The equal pods of one template, which ask for GPUs."""

    workers: tuple[Worker, ...]
    """Containers of the pod that start an engine or ask for GPUs, as workers."""

    @property
    def template(self) -> PodTemplate:
        """The template that the pods are made from."""
        return self.workers[0].template

    @property
    def name(self) -> str:
        """Names of the workers, for findings."""
        return ", ".join(worker.name for worker in self.workers)

    @property
    def gpus(self) -> int:
        """GPUs of one pod."""
        return sum({id(each.container): each.container_gpus for each in self.workers}.values())

    @property
    def pods(self) -> int:
        """Number of the pods that run at once."""
        return self.template.replicas * self.template.pods_per_replica

    @property
    def counted(self) -> str:
        """Number of GPUs that the pods take, for a sum: `4 of decode`, `2 x 1 of prefill`."""
        times = f"{self.pods} x " if self.pods > 1 else ""
        return f"{times}{self.gpus} of {self.name}"


@dataclass(frozen=True, slots=True)
class Occupied:
    """The pods of one pool."""

    placement: Pool
    pods: list[GpuPods] = field(default_factory=list[GpuPods])

    @property
    def sizes(self) -> Mapping[int, int]:
        """GPUs of one pod -> number of such pods, without those that no node of the pool can take."""
        sizes = Counter[int]()
        for pods in self.pods:
            sizes[pods.gpus] += pods.pods
        return {gpus: count for gpus, count in sizes.items() if gpus <= self.placement.instance_type.gpus}


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Which pods run where, as far as the graph says."""

    pools: Mapping[str, Occupied]
    homeless: Sequence[tuple[GpuPods, str]]
    """Pods whose pool or number is not known, and why; those that no pool takes are not among them."""


@memoized_all
def read_gpu_pods(graph: ResourceGraph) -> Iterator[GpuPods | Unreadable]:
    """All templates whose pods ask for GPUs, in the order of the graph."""
    for _, group in groupby(read_workers(graph), lambda each: isinstance(each, Worker) and each.template):
        members = tuple(group)
        yield from (each for each in members if isinstance(each, Unreadable))
        workers = tuple(readable(members))
        if any(each.container_gpus for each in workers):
            yield GpuPods(workers)


@memoized
def templates_with_gpus(graph: ResourceGraph) -> frozenset[PodTemplate]:
    """The templates whose pods ask for GPUs, and so run in one of the pools."""
    return frozenset(pods.template for pods in readable(read_gpu_pods(graph)))


@memoized
def read_occupancy(graph: ResourceGraph) -> Occupancy:
    """The pool of each pod with GPUs, all graphs and workloads together."""
    pools: dict[str, Occupied] = {}
    homeless: list[tuple[GpuPods, str]] = []
    for pods in readable(read_gpu_pods(graph)):
        try:
            placement = home(graph, pods)
            if placement is not None and pods.pods:
                pools.setdefault(placement.name, Occupied(placement)).pods.append(pods)
        except Undecided as reason:
            homeless.append((pods, str(reason)))
    return Occupancy(pools, homeless)


@memoized
def read_claiming(graph: ResourceGraph) -> Mapping[str, Sequence[GpuPods]]:
    """Name of a pool -> its pods that claim a compute domain's channel, as far as that is known."""
    pools = read_occupancy(graph).pools.items()
    return {name: [each for each in pool.pods if known(claims_channel, graph, each)] for name, pool in pools}


def claims_channel(graph: ResourceGraph, pods: GpuPods) -> bool:
    """Whether the pods claim a compute domain's channel, of which a node has one."""
    return bool(read_channel_claims(graph, pods.workers[0]))


def home(graph: ResourceGraph, pods: GpuPods) -> Pool | None:
    """The one pool that the pods run in; None where their node selection allows none."""
    worker = pods.workers[0]
    return read_placement(graph, worker) if read_candidates(graph, worker) else None


def can_be_packed(sizes: Mapping[int, int], *, nodes: int, gpus: int) -> bool | None:
    """Whether all pods find their GPUs on one node each; None where neither is shown.

    Sizes that are powers of two, as tensor parallelism has them, are always decided.

    Args:
        sizes: GPUs of a pod -> number of such pods; none is larger than a node.
        nodes: number of nodes.
        gpus: GPUs of each node.
    """
    whole = sum(size * count for size, count in sizes.items())
    # Two pods of more than half a node share none.
    alone = sum(count for size, count in sizes.items() if size > gpus / 2)
    if whole > nodes * gpus or alone > nodes:
        return False
    # Largest pods first, each on the fullest node that takes it.
    nodes_by_room = Counter({gpus: nodes})
    for size in sorted(Counter(sizes).elements(), reverse=True):
        room = min((room for room, free in nodes_by_room.items() if free and room >= size), default=None)
        if room is None:
            return None
        nodes_by_room.subtract([room])
        nodes_by_room.update([room - size])
    return True
