"""The nodes of a pool as a drawing: GPUs with the pods that hold them, NVLink, network cards, KV path.

Coordinates are units of the drawing, which is as wide as a telephone's screen and grows with the page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from explain.seating import SeatedNode, SeatedPod, seated_nodes
from hardware import InstanceType, Standing
from recipes.placed import KvTransport, PlacedService
from stacks.plan.infrastructure.prices import least_sold
from stacks.plan.placement.capacity import PlacedPool
from stacks.wording import all_of, in_words

WIDTH = 340
CELL_WIDTH, CELL_HEIGHT, CELL_GAP = 66, 34, 4
CELLS_IN_ROW = 4
_NODE_LEFT, _NODE_WIDTH, _NODE_GAP = 8, 298, 10
_HEADER, _NETWORK, _PADDING = 22, 26, 8
_DOMAIN_HEADER = 22
_BUS_X = 324
_APART = 6
"""Between the two ends of a KV path in one row of GPUs."""
_CARD_STEP = 8

CellKind = Literal["prefill", "decode", "worker", "withheld", "idle"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One GPU."""

    x: int
    y: int
    kind: CellKind
    label: str
    note: str


@dataclass(frozen=True, slots=True)
class NodeDrawing:
    """One node, or several in a row that are alike."""

    title: str
    y: int
    height: int
    cells: tuple[Cell, ...]
    cards_y: int
    """Where its network cards are; all nodes of a pool have the same ones."""


@dataclass(frozen=True, slots=True)
class Box:
    """The frame of an NVLink domain that spans nodes."""

    y: int
    height: int
    title: str


@dataclass(frozen=True, slots=True)
class BusEnd:
    """Where the KV cache leaves a node, or comes to one."""

    y: int
    receives: bool


@dataclass(frozen=True, slots=True)
class PoolDrawing:
    """A node pool with everybody who sits in it."""

    name: str
    title: str
    nvlink: str
    """Which GPUs NVLink joins, as a sentence."""
    network: str
    """The network cards of a node, as a sentence."""
    cards: tuple[tuple[int, bool], ...]
    """Position of each network interface and whether it carries EFA alone."""
    summary: str
    """Who sits where, in words: what a person who cannot see the drawing reads."""
    nodes: tuple[NodeDrawing, ...]
    domain: Box | None
    bus: tuple[BusEnd, ...]
    bus_is_proven: bool
    height: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring nodes that are alike."""

    first: int
    last: int
    node: SeatedNode

    @property
    def title(self) -> str:
        if self.first == self.last:
            return f"Node {self.first}"
        return f"Nodes {self.first} to {self.last}, each"


def pool_drawing(
    placed: PlacedPool, workers: Sequence[PlacedService], transport: KvTransport | None, *, same_clique: bool
) -> PoolDrawing:
    """Return the drawing of a pool.

    Args:
        placed: the pool and how full it is.
        workers: of the stack.
        transport: of the KV cache; None where it never leaves its worker.
        same_clique: whether all workers must be in one NVLink domain.

    """
    pool, kind = placed.pool, placed.pool.instance_type
    seated = seated_nodes(placed, workers)
    groups = tuple(_groups(seated))
    crosses = pool.nvlink_domain_gpus > kind.gpus
    one_domain = crosses and (same_clique or pool.nodes <= pool.domain_nodes)
    inside = [group for group in groups if group.last <= pool.domain_nodes] if one_domain else []
    nodes = tuple(_nodes(groups, _DOMAIN_HEADER if inside else 0))
    bottom = nodes[-1].y + nodes[-1].height + _NODE_GAP if nodes else 0
    return PoolDrawing(
        name=pool.name,
        title=f"{pool.nodes} x {kind.name}, {pool.gpus} {kind.accelerator.name}",
        nvlink=_nvlink(placed),
        network=_network(kind),
        cards=tuple(_cards(kind)),
        summary=". ".join(f"{group.title}: {_who(group.node)}" for group in groups),
        nodes=nodes,
        domain=_domain(nodes[: len(inside)], pool.nvlink_domain_gpus) if inside else None,
        bus=tuple(_bus(nodes)) if transport is not None else (),
        bus_is_proven=transport is not None and transport.path.standing is Standing.DOCUMENTED,
        height=bottom,
    )


def _groups(seated: Sequence[SeatedNode]) -> Iterator[_Group]:
    number = 1
    for _, alike in groupby(seated, key=_likeness):
        found = list(alike)
        yield _Group(number, number + len(found) - 1, found[0])
        number += len(found)


def _likeness(node: SeatedNode) -> tuple[object, ...]:
    return node.gpus, *((pod.service, pod.processes, pod.withheld_gpus) for pod in node.pods)


def _nodes(groups: Sequence[_Group], top: int) -> Iterator[NodeDrawing]:
    y = top
    for group in groups:
        rows = -(-group.node.gpus // CELLS_IN_ROW)
        cells_height = rows * (CELL_HEIGHT + CELL_GAP)
        height = _HEADER + cells_height + _NETWORK
        cells = tuple(_cells(group, y + _HEADER))
        yield NodeDrawing(group.title, y, height, cells, y + _HEADER + cells_height + _PADDING)
        y += height + _NODE_GAP


def _cells(group: _Group, top: int) -> Iterator[Cell]:
    kinds = list(_kinds(group.node, several=group.first != group.last))
    for index, (kind, label, note) in enumerate(kinds):
        row, column = divmod(index, CELLS_IN_ROW)
        x = _NODE_LEFT + _PADDING + column * (CELL_WIDTH + CELL_GAP)
        yield Cell(x, top + row * (CELL_HEIGHT + CELL_GAP), kind, label, note)


def _kinds(node: SeatedNode, *, several: bool) -> Iterator[tuple[CellKind, str, str]]:
    for pod in node.pods:
        note = "" if several else f"pod {pod.number}"
        for process in pod.processes:
            for _ in range(process.gpus):
                # Frontends have no GPUs, so no process of a seated pod is one.
                yield "worker" if process.role == "frontend" else process.role, process.role, note
        for _ in range(pod.withheld_gpus):
            yield "withheld", "withheld", note
    for _ in range(node.unoccupied_gpus):
        yield "idle", "idle", ""


def _who(node: SeatedNode) -> str:
    alike = groupby(node.pods, key=lambda pod: (pod.service, pod.processes, pod.withheld_gpus))
    texts = [_pods_words(list(pods)) for _, pods in alike]
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
    sold = least_sold(kind, max(pool.gpus, pool.nvlink_domain_gpus))
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


def _cards(kind: InstanceType) -> Iterator[tuple[int, bool]]:
    for index, interface in enumerate(kind.network.interfaces):
        yield _NODE_LEFT + _PADDING + index * _CARD_STEP, interface.kind == "efa-only"


def _domain(nodes: Sequence[NodeDrawing], gpus: int) -> Box:
    last = nodes[-1]
    return Box(0, last.y + last.height + _NODE_GAP // 2, f"one NVLink domain of {gpus} GPUs")


def _bus(nodes: Sequence[NodeDrawing]) -> Iterator[BusEnd]:
    """Yield where prefill and decode of each node are; a pool with one of them alone has no bus."""
    ends = [(cell.kind, cell.y + CELL_HEIGHT // 2) for node in nodes for cell in _first_of_each_role(node)]
    if {kind for kind, _ in ends} != {"prefill", "decode"}:
        return
    rows = [y for _, y in ends]
    for kind, y in ends:
        shift = 0 if rows.count(y) == 1 else (_APART if kind == "decode" else -_APART)
        yield BusEnd(y + shift, receives=kind == "decode")


def _first_of_each_role(node: NodeDrawing) -> Iterator[Cell]:
    for kind in ("prefill", "decode"):
        found = next((cell for cell in node.cells if cell.kind == kind), None)
        if found is not None:
            yield found


def bus_line(drawing: PoolDrawing) -> tuple[int, int, int] | None:
    """Return position, top and bottom of the line that joins the ends; None without them."""
    if not drawing.bus:
        return None
    rows = [end.y for end in drawing.bus]
    return _BUS_X, min(rows), max(rows)
