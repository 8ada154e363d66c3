"""Whether workers fit on the equal nodes of a pool."""

from collections.abc import Sequence


def pack(worker_gpus: Sequence[int], nodes: int, gpus_per_node: int) -> tuple[int, ...] | None:
    """Return the free GPUs of each node after packing, or None when the workers do not fit.

    Largest worker first, each on the fullest node that still holds it. For sizes that divide each other,
    as tensor parallelism's powers of two do, this finds a packing whenever there is one.
    """
    free = [gpus_per_node] * nodes
    for gpus in sorted(worker_gpus, reverse=True):
        candidates = [index for index, room in enumerate(free) if room >= gpus]
        if not candidates:
            return None
        tightest = min(candidates, key=lambda index: free[index])
        free[tightest] -= gpus
    return tuple(free)
