"""Which pods share a node, pod by pod, where the packing of the plan only counts.

The plan's packing proves that the pods fit; here each of its places gets the name of a pod. Which of several
equal nodes and GPUs a pod gets in a cluster, the scheduler and the device plugin decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recipes.placed import PlacedService
from recipes.services import ServiceRecipe
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.placement.packing import Room
from stacks.updates.beside_what_runs import occupying_set


@dataclass(frozen=True, slots=True)
class SeatedPod:
    """A pod on a node."""

    service: str
    number: int
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


def seated_nodes(placed: PlacedPool, workers: Sequence[PlacedService]) -> tuple[SeatedNode, ...]:
    """Return all nodes of the pool, those with pods first.

    Args:
        placed: the pool and how full it is.
        workers: of the stack; those of other pools are left out.

    Raises:
        ValueError: the workers do not fit, which a plan never is.

    """
    room = placed.packing.room
    nodes: list[list[SeatedPod]] = [[] for _ in range(room.nodes)]
    here = [each for each in workers if each.placement and each.placement.pool == placed.pool.name]
    # The packing seats the largest worker first; any other order could need more nodes.
    for worker in sorted(here, key=lambda worker: -occupying_set(worker).gpus):
        occupied = occupying_set(worker).gpus
        used: set[int] = set()
        for number in range(1, worker.replicas + 1):
            index = _place(nodes, occupied, room, used)
            used.add(index)
            pod = SeatedPod(worker.name, number, worker.recipe.processes, occupied - worker.gpus)
            nodes[index].append(pod)
    # The packing has no room on nodes outside the workers' NVLink domain; the pool has them all the same.
    outside = [SeatedNode(room.gpus_per_node)] * (placed.pool.nodes - room.nodes)
    seated = [SeatedNode(room.gpus_per_node, tuple(pods)) for pods in nodes]
    return tuple(sorted((*seated, *outside), key=lambda node: not node.pods))


def _place(nodes: Sequence[Sequence[SeatedPod]], occupied: int, room: Room, own: set[int]) -> int:
    """Return the fullest node that takes one more pod; `own` are those with pods of its service."""
    free = {
        index: SeatedNode(room.gpus_per_node, tuple(pods)).unoccupied_gpus for index, pods in enumerate(nodes)
    }
    fitting = [
        index
        for index, gpus in free.items()
        if gpus >= occupied and (not nodes[index] or _may_join(index, room, own))
    ]
    if not fitting:
        raise ValueError(f"no node has {occupied} GPUs left")
    return min(fitting, key=lambda index: (free[index], index))


def _may_join(index: int, room: Room, own: set[int]) -> bool:
    if room.one_pod_per_node:
        return False
    return not room.different_nodes or index in own
