"""All workers of a pool find their GPUs in it at once."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.nodes.packing import can_be_packed
from rules.reading.pods.gpu_pods import Occupied, check_gpu_pods, read_occupancy
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    # Only what cannot be read at all; the pods themselves are judged by pool.
    yield from check_gpu_pods(graph, lambda _: ())
    occupancy = read_occupancy(graph)
    for pods, reason in occupancy.homeless:
        yield undecided(pods.template.resource, pods.name, reason)
    for occupied in occupancy.pools.values():
        try:
            yield from _check_pool(occupied)
        except Undecided as reason:
            yield undecided(occupied.pods[-1].template.resource, _subject(occupied), str(reason))


def _check_pool(occupied: Occupied) -> Iterator[Observation]:
    placement, sizes = occupied.placement, occupied.sizes
    node, nodes = placement.instance_type, placement.nodes
    packed = can_be_packed(sizes, nodes=nodes, gpus=node.gpus)
    if packed:
        return
    asked = sum(size * count for size, count in sizes.items())
    counted = " + ".join(pods.counted for pods in occupied.pods if pods.gpus <= node.gpus)
    pool = f"pool {placement.pool} ({nodes} x {node.name} with {node.gpus} GPUs each)"
    if asked > nodes * node.gpus:
        message = f"{counted} is {asked} GPUs, but {pool} has {nodes * node.gpus}"
    else:
        message = (
            f"{counted} is {asked} of the {nodes * node.gpus} GPUs of {pool}, but each pod needs its GPUs on "
            "one node, and so they cannot be packed"
        )
    if packed is None:
        raise Undecided(f"{message} in any way that was tried")
    yield failed(occupied.pods[-1].template.resource, _subject(occupied), message)


def _subject(occupied: Occupied) -> str:
    return ", ".join(dict.fromkeys(pods.name for pods in occupied.pods))


RULE = Rule(
    id="workers-fit-pool",
    title="All workers of a pool find their GPUs in it at once",
    severity=Severity.MANDATORY,
    reason=(
        "GPUs are whole and belong to one node: what does not fit beside the others stays Pending, and a "
        "graph of which one worker is missing answers nothing."
    ),
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    lines=EVERY_RELEASE,
    fix="Lower the replicas, add nodes to the pool, or place one of the workers in another pool.",
    check=_check,
)
