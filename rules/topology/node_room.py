"""Whether nodes have room for the pods: for each by itself, and for all at once."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from hardware import INSTANCE_TYPES, InstanceType
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed, undecided
from rules.reading.devices import efa_interfaces
from rules.reading.gpu_pods import GpuPods, Occupied, can_be_packed, read_occupancy
from rules.reading.node_room import knows_nodes_without_gpus, rooms_for
from rules.reading.node_selection import ARCHITECTURE_LABEL, required_labels
from rules.reading.placements import read_candidates, read_landing
from rules.reading.pods.containers import requested
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, known, quantity
from rules.rule import graph_rule, rule
from rules.subjects import GPU_PODS, POD_TEMPLATES

_GIB = 2**30
_JOBS = frozenset({"Job", "CronJob"})


@rule(
    GPU_PODS,
    severity=Severity.MANDATORY,
    reason="The scheduler gives a pod GPUs of one node only; a larger one stays Pending for ever.",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    lines=EVERY_RELEASE,
    fix="Choose a pool with larger nodes, less parallelism, or a worker that spans nodes (multinode).",
)
def worker_fits_node(graph: ResourceGraph, pods: GpuPods) -> Iterator[str]:
    """A worker fits on a node of its pool."""
    candidates = read_candidates(graph, pods.workers[0])
    # Pods that no pool selects, or that fit in one of several, are no matter of size.
    if not candidates or any(pods.gpus <= candidate.instance_type.gpus for candidate in candidates):
        return
    nodes = ", ".join(
        f"a node of pool {candidate.name} ({candidate.instance_type.name}) has {candidate.instance_type.gpus}"
        for candidate in candidates
    )
    yield f"asks for {pods.gpus} GPUs in one pod, but {nodes}"


@rule(
    GPU_PODS,
    severity=Severity.ADVISORY,
    reason="The scheduler gives a pod what one node has; a larger one stays Pending for ever.",
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/; sizes: EC2 "
        "DescribeInstanceTypes, beside which nodes of other makers may be larger"
    ),
    lines=EVERY_RELEASE,
    fix="Ask for less in one pod: more replicas, or a worker that spans nodes (multinode).",
)
def pod_fits_some_node(graph: ResourceGraph, pods: GpuPods) -> Iterator[str]:
    """A pod with GPUs asks for no more than a node has."""
    types, where, are_known = _nodes(graph, pods)
    of_pod = f" of {pods.name}"
    memory, cpus = _asked(pods.template, "memory", of_pod) / _GIB, _asked(pods.template, "cpu", of_pod)
    asked: dict[str, tuple[float, float]] = {
        "GiB of memory": (memory, max(each.memory_gib for each in types)),
        "CPUs": (cpus, max(each.vcpus for each in types)),
    }
    if not are_known:
        # Of pools that are known other rules compare these.
        interfaces = sum(efa_interfaces(worker) for worker in pods.workers)
        asked["EFA interfaces"] = (interfaces, max(each.efa_interfaces for each in types))
        asked["GPUs"] = (pods.gpus, max(each.gpus for each in types))
    for what, (amount, most) in asked.items():
        if amount > most:
            yield f"asks for {amount:g} {what} in one pod, and {where} has at most {most:g}"


def _nodes(graph: ResourceGraph, pods: GpuPods) -> tuple[Sequence[InstanceType], str, bool]:
    """The nodes that it can land on, or all that are known here; and whether they are its pool's."""
    candidates = known(read_candidates, graph, pods.workers[0])
    if candidates:
        names = ", ".join(dict.fromkeys(each.instance_type.name for each in candidates))
        return [each.instance_type for each in candidates], f"a node of its pool ({names})", True
    architectures = _architectures(pods)
    types = [each for each in INSTANCE_TYPES.values() if each.cpu_architecture in architectures]
    landing = known(read_landing, graph, pods.workers[0])
    allowed = set[str]() if landing is None else {gpu.name for gpu in landing.accelerators}
    selected = [each for each in types if each.accelerator.name in allowed]
    if selected:
        return selected, f"a node with {', '.join(sorted(allowed))}", False
    of_these = f" with {''.join(architectures)} processors" if len(architectures) == 1 else ""
    return types, f"a node of the types known here{of_these}", False


def _architectures(pods: GpuPods) -> Collection[str]:
    """Of the processors of the nodes that it selects; all that are known where it selects none of them."""
    every = {each.cpu_architecture for each in INSTANCE_TYPES.values()}
    asked: set[str | None] = set()
    # Another rule says of a selection that it cannot be read.
    with suppress(Undecided):
        for label in required_labels(pods.template.spec):
            if label.key == ARCHITECTURE_LABEL and label.operator == "In":
                asked.update(label.values)
    return every & asked or every


def _asked(template: PodTemplate, resource: str, of_pod: str = "") -> float:
    """By all containers of one pod, which is named where an amount cannot be read."""
    amounts = [requested(template, container, resource) for container in template.containers]
    return float(sum(quantity(amount, f"{resource}{of_pod}") for amount in amounts if amount is not None))


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "GPUs are whole and belong to one node: what does not fit beside the others stays Pending, and a "
        "graph of which one worker is missing answers nothing."
    ),
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    lines=EVERY_RELEASE,
    fix="Lower the replicas, add nodes to the pool, or place one of the workers in another pool.",
)
def workers_fit_pool(graph: ResourceGraph) -> Iterator[Observation]:
    """All workers of a pool find their GPUs in it at once."""
    # Only what cannot be read at all; the pods themselves are judged by pool.
    yield from GPU_PODS.judge(graph, lambda _graph, _pods: ())
    occupancy = read_occupancy(graph)
    for pods, reason in occupancy.homeless:
        yield undecided(pods.template.resource, pods.name, reason)
    for occupied in occupancy.pools.values():
        resource = occupied.pods[-1].template.resource
        names = ", ".join(dict.fromkeys(pods.name for pods in occupied.pods))
        try:
            message = _overfull(occupied)
        except Undecided as reason:
            yield undecided(resource, names, str(reason))
        else:
            if message is not None:
                yield failed(resource, names, message)


def _overfull(occupied: Occupied) -> str | None:
    placement, sizes = occupied.placement, occupied.sizes
    node, nodes = placement.instance_type, placement.nodes
    packed = can_be_packed(sizes, nodes=nodes, gpus=node.gpus)
    if packed:
        return None
    asked = sum(size * count for size, count in sizes.items())
    counted = " + ".join(pods.counted for pods in occupied.pods if pods.gpus <= node.gpus)
    pool = f"pool {placement.name} ({nodes} x {node.name} with {node.gpus} GPUs each)"
    if asked > nodes * node.gpus:
        message = f"{counted} is {asked} GPUs, but {pool} has {nodes * node.gpus}"
    else:
        message = (
            f"{counted} is {asked} of the {nodes * node.gpus} GPUs of {pool}, but each pod needs its GPUs on "
            "one node, and so they cannot be packed"
        )
    if packed is None:
        raise Undecided(f"{message} in any way that was tried")
    return message


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Workers are given nearly all of their node, and system nodes are small: a Job that asks for more "
        "than either leaves stays Pending until its deadline, and has then measured or loaded nothing."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/; what EKS reserves: "
        "awslabs/amazon-eks-ami nodeadm/internal/kubelet/config.go at 81fec2e"
    ),
    lines=EVERY_RELEASE,
    fix="Ask for less (without a limit a container may use what is idle), or for a larger system node.",
)
def job_fits_a_node(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """A node has room for each pod of a Job."""
    if template.resource.kind not in _JOBS:
        return
    cpus, memory = _asked(template, "cpu"), _asked(template, "memory") / _GIB
    if not cpus and not memory:
        return
    rooms = tuple(rooms_for(graph, template))
    # Not all of it: daemon sets take a part of every node.
    if not rooms or any(cpus < room.cpus and memory < room.memory_gib for room in rooms):
        return
    nodes = "; ".join(dict.fromkeys(room.node for room in rooms))
    message = f"asks for {cpus:g} CPUs and {memory:g} GiB, but {nodes}"
    if not knows_nodes_without_gpus(graph):
        raise Undecided(f"{message}, and nothing says which other nodes there are")
    yield message
