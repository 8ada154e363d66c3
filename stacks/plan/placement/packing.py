"""Whether workers fit on the equal nodes of a pool."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class WorkerSet:
    """Equal workers of one service."""

    name: str
    gpus: int
    """One worker uses so many."""
    count: int


@dataclass(frozen=True, slots=True)
class Room:
    """Equal nodes, and what may share one of them."""

    nodes: int
    gpus_per_node: int
    one_pod_per_node: bool = False
    """A worker takes its whole node, however few of its GPUs it uses."""
    different_nodes: bool = False
    """Workers of different services never share a node."""


def pack(
    workers: Sequence[WorkerSet], room: Room, free_gpus: Mapping[int, int] | None = None
) -> dict[int, int] | None:
    """Return the free GPUs of a node -> nodes with so many, or None when the workers do not fit.

    Args:
        workers: who needs a place.
        room: the nodes.
        free_gpus: what is left of them, GPUs of a node -> nodes; None: they are empty.

    Largest worker first, each on the fullest node that still holds it. For sizes that divide each other,
    as tensor parallelism's powers of two do, this finds a packing whenever there is one. Nodes that are
    equally full are counted, not listed, so the time depends on neither nodes nor workers.
    """
    free = Counter({room.gpus_per_node: room.nodes} if free_gpus is None else free_gpus)
    own_nodes = room.one_pod_per_node or room.different_nodes
    # What a service leaves of its own nodes, no other service of the graph uses.
    left = Counter[int]() if own_nodes else free
    if not all(_place(some, room, free, left) for some in sorted(workers, key=lambda some: -some.gpus)):
        return None
    if own_nodes:
        free += left
    return {gpus: count for gpus, count in free.items() if count}


def nodes_needed(workers: Sequence[WorkerSet], room: Room) -> int:
    """Return how many nodes like those of the room hold the workers, of which none is larger than a node."""
    most = sum(some.count for some in workers)
    return bisect_left(
        range(most), True, key=lambda nodes: pack(workers, replace(room, nodes=nodes)) is not None
    )


def has_room_wherever_placed(worker: WorkerSet, others: Sequence[WorkerSet], room: Room) -> bool:
    """Whether one more worker finds its GPUs on one node, wherever the scheduler put the rest.

    Args:
        worker: the one to add; its count is of those that run already.
        others: everything else that runs in the room.
        room: the nodes.

    A packing is not enough to go by: running pods do not move together to make room.
    """
    if worker.gpus > room.gpus_per_node:
        return False
    running = [*others, worker]
    if room.one_pod_per_node:
        return sum(some.count for some in running) < room.nodes
    nodes = room.nodes
    if room.different_nodes:
        running = [worker]
        # At worst the others have a node each; they are on none of the nodes that these workers hold.
        held = math.ceil(worker.count / (room.gpus_per_node // worker.gpus))
        nodes = max(nodes - sum(some.count for some in others), held)
    # To deny the worker a place, each node must have fewer than its GPUs free.
    denied_from = room.gpus_per_node - worker.gpus + 1
    alone = sum(some.count for some in running if some.gpus >= denied_from)
    together = sum(some.gpus * some.count for some in running if some.gpus < denied_from)
    return alone + together // denied_from < nodes


def surges(
    workers: Iterable[WorkerSet], room: Room, names: Collection[str]
) -> Iterator[tuple[WorkerSet, list[WorkerSet], bool]]:
    """Yield each worker of these names, all that runs beside it, and whether one more of it surely fits.

    The largest come first, and those that fit are there when the next ones are judged.
    """
    running = {some.name: some for some in workers}
    for some in sorted(running.values(), key=lambda some: -some.gpus):
        if some.name not in names:
            continue
        others = [other for other in running.values() if other.name != some.name]
        fits = has_room_wherever_placed(some, others, room)
        if fits:
            running[some.name] = replace(some, count=some.count + 1)
        yield some, others, fits


def _place(some: WorkerSet, room: Room, free: Counter[int], left: Counter[int]) -> bool:
    """Place equal workers on the fullest nodes that hold them; what a node has left goes to `left`."""
    waiting = some.count
    for size in sorted(size for size, nodes in free.items() if nodes and size >= some.gpus):
        per_node = 1 if room.one_pod_per_node else size // some.gpus
        full, rest = divmod(waiting, per_node)
        full = min(full, free[size])
        for workers, nodes in ((per_node, full), (rest, bool(rest) and full < free[size])):
            free[size] -= nodes
            left[size - workers * some.gpus] += nodes
            waiting -= workers * nodes
    return waiting == 0
