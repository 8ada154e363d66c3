"""The nodes of a pool as the page draws them: GPUs with the pods that hold them, NVLink and network cards.

The plan's packing proves that the pods fit, and only counts; here each of its places gets the name of a pod.
Which of several equal nodes and GPUs a pod gets in a cluster, the scheduler and the device plugin decide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from hardware import InstanceType
from recipes.placed import PlacedService
from recipes.services import ServiceRecipe
from stacks.plan.infrastructure.prices import least_sold
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.placement.packing import Room
from stacks.updates.beside_what_runs import occupying_set
from stacks.wording import all_of, in_words

CellKind = Literal["prefill", "decode", "worker", "withheld", "idle"]


@dataclass(frozen=True, slots=True)
class SeatedPod:
    """A pod on a node; two of one service are alike."""

    service: str
    number: int = field(compare=False)
    """Among the service's pods, from 1."""
    processes: tuple[ServiceRecipe, ...]
    """More than one where a pod runs prefill and decode."""
    withheld_gpus: int
    """GPUs that no other worker can use, because the pod takes their share of processors or memory."""

    @property
    def gpus(self) -> int:
        """GPUs that the pod asks for."""
        return sum(process.gpus for process in self.processes)


@dataclass(frozen=True, slots=True)
class SeatedNode:
    """A node with its pods."""

    gpus: int
    """GPUs of the node."""
    pods: tuple[SeatedPod, ...] = ()

    @property
    def unoccupied_gpus(self) -> int:
        """GPUs that the pods neither use nor withhold."""
        return self.gpus - sum(pod.gpus + pod.withheld_gpus for pod in self.pods)


@dataclass(frozen=True, slots=True)
class NodeDrawing:
    """One node, or several in a row that are alike."""

    title: str
    last: int
    """Number of the last of them, from 1."""
    cells: tuple[tuple[CellKind, str], ...]
    """Of each GPU its use and the pod that holds it; no pod is named where several nodes are drawn as one."""
    who: str
    """Who sits there, in words."""


@dataclass(frozen=True, slots=True)
class PoolDrawing:
    """A node pool with everybody who sits in it."""

    name: str
    title: str
    nvlink: str
    """Which GPUs NVLink joins, as a sentence."""
    network: str
    """The network cards of a node, as a sentence."""
    cards: tuple[bool, ...]
    """For each network interface of a node: whether it carries EFA alone."""
    summary: str
    """Who sits where, in words: what a person who cannot see the drawing reads."""
    domain: tuple[NodeDrawing, ...]
    """Nodes in one NVLink domain; empty where none spans nodes."""
    domain_title: str
    nodes: tuple[NodeDrawing, ...]
    """All others."""


def pool_drawing(placed: PlacedPool, workers: Sequence[PlacedService], *, same_clique: bool) -> PoolDrawing:
    """Return the drawing of a pool.

    Args:
        placed: the pool and how full it is.
        workers: that run in it.
        same_clique: whether all workers must be in one NVLink domain.

    """
    pool, kind = placed.pool, placed.pool.instance_type
    nodes = tuple(_nodes(seated_nodes(placed, workers)))
    crosses = pool.nvlink_domain_gpus > kind.gpus
    one_domain = crosses and (same_clique or pool.nodes <= pool.domain_nodes)
    inside = sum(node.last <= pool.domain_nodes for node in nodes) if one_domain else 0
    return PoolDrawing(
        name=pool.name,
        title=f"{pool.nodes} x {kind.name}, {pool.gpus} {kind.accelerator.name}",
        nvlink=_nvlink(placed),
        network=_network(kind),
        cards=tuple(interface.kind == "efa-only" for interface in kind.network.interfaces),
        summary=". ".join(f"{node.title}: {node.who}" for node in nodes),
        domain=nodes[:inside],
        domain_title=f"one NVLink domain of {pool.nvlink_domain_gpus} GPUs",
        nodes=nodes[inside:],
    )


def seated_nodes(placed: PlacedPool, workers: Sequence[PlacedService]) -> tuple[SeatedNode, ...]:
    """Return all nodes of the pool, those with pods first.

    Args:
        placed: the pool and how full it is: its plan has counted that the workers fit.
        workers: that run in it.

    """
    room = placed.room
    nodes = [SeatedNode(room.gpus_per_node)] * room.nodes
    # The packing seats the largest worker first; any other order could need more nodes.
    for worker in sorted(workers, key=lambda worker: -occupying_set(worker).gpus):
        occupied = occupying_set(worker).gpus
        own: set[int] = set()
        for number in range(1, worker.replicas + 1):
            index = _place(nodes, occupied, room, own)
            own.add(index)
            pod = SeatedPod(worker.name, number, worker.processes, occupied - worker.gpus)
            nodes[index] = SeatedNode(room.gpus_per_node, (*nodes[index].pods, pod))
    # The packing has no room on nodes outside the workers' NVLink domain; the pool has them all the same.
    outside = [SeatedNode(room.gpus_per_node)] * (placed.pool.nodes - room.nodes)
    return tuple(sorted((*nodes, *outside), key=lambda node: not node.pods))


def _nodes(seated: Sequence[SeatedNode]) -> Iterator[NodeDrawing]:
    first = 1
    for _, alike in groupby(seated):
        node, *others = alike
        last = first + len(others)
        title = f"Nodes {first} to {last}, each" if others else f"Node {first}"
        yield NodeDrawing(title, last, tuple(_cells(node, several=bool(others))), _who(node))
        first = last + 1


def _cells(node: SeatedNode, *, several: bool) -> Iterator[tuple[CellKind, str]]:
    for pod in node.pods:
        note = "" if several else f"pod {pod.number}"
        for process in pod.processes:
            # Frontends have no GPUs, so no process of a seated pod is one.
            kind = "worker" if process.role == "frontend" else process.role
            for _ in range(process.gpus):
                yield kind, note
        for _ in range(pod.withheld_gpus):
            yield "withheld", note
    for _ in range(node.unoccupied_gpus):
        yield "idle", ""


def _who(node: SeatedNode) -> str:
    texts = [_pods_words(list(pods)) for _, pods in groupby(node.pods)]
    if node.unoccupied_gpus:
        texts.append(f"{in_words(node.unoccupied_gpus, 'GPU')} idle")
    return all_of(texts)


def _pods_words(pods: Sequence[SeatedPod]) -> str:
    pod = pods[0]
    parts = all_of([f"{process.role} on {in_words(process.gpus, 'GPU')}" for process in pod.processes])
    withheld = f", withholding {in_words(pod.withheld_gpus, 'further GPU')}" if pod.withheld_gpus else ""
    return f"{in_words(len(pods), 'pod')} of {pod.service} ({parts}{withheld}{' each' if pods[1:] else ''})"


def _nvlink(placed: PlacedPool) -> str:
    pool, kind = placed.pool, placed.pool.instance_type
    if pool.nvlink_domain_gpus <= kind.gpus:
        return f"NVLink joins the {in_words(kind.gpus, 'GPU')} of a node and ends there"
    sold = least_sold(pool)
    unit = "" if sold is None else f" ({sold.name}, {sold.trays} trays)"
    beyond = pool.nvlink_domain_gpus // kind.gpus - pool.nodes
    outside = f"; {beyond} of its trays are outside the pool" if sold and beyond > 0 else ""
    return f"NVLink joins {pool.nvlink_domain_gpus} GPUs, {kind.gpus} on each node{unit}{outside}"


def _network(kind: InstanceType) -> str:
    layout = kind.network
    if not layout.interfaces:
        return "Network cards: nobody has described them"
    ip = len(layout.interfaces) - layout.efa_interfaces
    texts = [f"{ip} interface with IP, {layout.ip_gbit_per_second:,.0f} Gbit/s"]
    if layout.efa_interfaces:
        texts.append(
            f"{in_words(layout.efa_interfaces, 'EFA interface')}, {layout.efa_gbit_per_second:,.0f} Gbit/s "
            "together"
        )
    return f"Network of a node: {all_of(texts)}"


def _place(nodes: Sequence[SeatedNode], occupied: int, room: Room, own: set[int]) -> int:
    """Return the fullest node that takes one more pod; `own` are those with pods of its service."""
    fitting = [
        index
        for index, node in enumerate(nodes)
        if node.unoccupied_gpus >= occupied
        and (not node.pods or (not room.one_pod_per_node and (not room.different_nodes or index in own)))
    ]
    return min(fitting, key=lambda index: (nodes[index].unoccupied_gpus, index))
