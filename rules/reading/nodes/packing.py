"""Whether pods of whole GPUs can be packed on equal nodes."""

from collections.abc import Mapping


def can_be_packed(sizes: Mapping[int, int], *, nodes: int, gpus: int) -> bool | None:
    """Whether all pods find their GPUs on one node each; None where neither is shown.

    Sizes that are powers of two, as tensor parallelism has them, are always decided.

    Args:
        sizes: GPUs of a pod -> number of such pods; none is larger than a node.
        nodes: number of nodes.
        gpus: GPUs of each node.
    """
    if _fill(sizes, nodes, gpus):
        return True
    return False if _nodes_needed(sizes, gpus) > nodes else None


def _fill(sizes: Mapping[int, int], nodes: int, gpus: int) -> bool:
    """Largest pods first, each on the fullest node that takes it: nodes are counted by their free GPUs."""
    free = {gpus: nodes}
    for size, count in sorted(sizes.items(), reverse=True):
        left = count
        for room in sorted(free):
            while left and room >= size and free.get(room):
                per_node = room // size
                taken = min(free[room], left // per_node)
                placed = per_node if taken else left
                taken = taken or 1
                free[room] -= taken
                rest = room - placed * size
                free[rest] = free.get(rest, 0) + taken
                left -= taken * placed
        if left:
            return False
    return True


def _nodes_needed(sizes: Mapping[int, int], gpus: int) -> int:
    """A number of nodes below which it cannot be done (Martello and Toth's bound L2)."""
    bound = 0
    for small in range(gpus // 2 + 1):
        alone = sum(count for size, count in sizes.items() if size > gpus - small)
        large = {size: count for size, count in sizes.items() if gpus - small >= size > gpus / 2}
        medium = sum(size * count for size, count in sizes.items() if small <= size <= gpus / 2)
        beside = sum((gpus - size) * count for size, count in large.items())
        bound = max(bound, alone + sum(large.values()) + max(0, -(-(medium - beside) // gpus)))
    return bound
