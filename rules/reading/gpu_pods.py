"""Pods that take GPUs: how many of how many each, in which pool, and whether they fit on its nodes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from resource_graph import ResourceGraph
from rules.reading.devices import read_channel_claims
from rules.reading.placements import read_candidates, read_placement
from rules.reading.pods.pods import PodTemplate, Unreadable, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.pools import Pool
from rules.reading.shapes import grouped, known, memoized, memoized_all


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
    """A pool and the pods that run in it."""

    placement: Pool
    pods: Sequence[GpuPods]

    @property
    def sizes(self) -> Counter[int]:
        """GPUs of one pod -> number of such pods, without those that no node of the pool can take."""
        sizes = Counter[int]()
        for pods in self.pods:
            if pods.gpus <= self.placement.instance_type.gpus:
                sizes[pods.gpus] += pods.pods
        return sizes

    def takes(self, sizes: Mapping[int, int]) -> bool:
        """Whether such pods find their GPUs on one node each."""
        return can_be_packed(sizes, nodes=self.placement.nodes, gpus=self.placement.instance_type.gpus)


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
def read_occupancy(graph: ResourceGraph) -> Mapping[str, Occupied]:
    """Name of each pool -> the pods in it, all graphs and workloads together, as far as the graph says."""
    homes = ((known(home, graph, each), each) for each in readable(read_gpu_pods(graph)))
    found = grouped((pool.name, (pool, each)) for pool, each in homes if pool is not None)
    return {name: Occupied(here[0][0], [each for _, each in here]) for name, here in found.items()}


def claims_channel(graph: ResourceGraph, pods: GpuPods) -> bool:
    """Whether the pods claim a compute domain's channel, of which a node has one."""
    return bool(read_channel_claims(graph, pods.workers[0]))


def home(graph: ResourceGraph, pods: GpuPods) -> Pool | None:
    """The one pool that the pods run in; None where there are none, or their node selection allows none."""
    worker = pods.workers[0]
    return read_placement(graph, worker) if read_candidates(graph, worker) and pods.pods else None


def can_be_packed(sizes: Mapping[int, int], *, nodes: int, gpus: int) -> bool:
    """Whether all pods find their GPUs on one node each, or are not shown to find none.

    Sizes that are powers of two, as tensor parallelism has them, are always decided.

    Args:
        sizes: GPUs of a pod -> number of such pods; none is larger than a node.
        nodes: number of nodes.
        gpus: GPUs of each node.
    """
    # Two pods of more than half a node share none.
    alone = sum(count for size, count in sizes.items() if size > gpus / 2)
    if alone > nodes or sum(size * count for size, count in sizes.items()) > nodes * gpus:
        return False
    # Largest pods first, each on the fullest node that takes it.
    rooms = Counter({gpus: nodes})
    for size in sorted(Counter(sizes).elements(), reverse=True):
        room = min((room for room, free in rooms.items() if free and room >= size), default=None)
        if room is None:
            return any(each & (each - 1) for each in sizes)
        rooms.subtract([room])
        rooms.update([room - size])
    return True
