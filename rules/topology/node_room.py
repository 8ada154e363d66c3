"""Whether nodes have room for the pods: for each by itself, for all at once, and for a Job beside them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from hardware import INSTANCE_TYPES, InstanceType, eks_reserved_cpus, eks_reserved_gib
from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed, undecided
from rules.reading.devices import efa_interfaces
from rules.reading.gpu_pods import GpuPods, Occupied, can_be_packed, read_occupancy
from rules.reading.memoized import memoized
from rules.reading.placements import (
    ARCHITECTURE_LABEL,
    allows,
    node_selector_terms,
    read_candidates,
    read_landing,
    required_labels,
    untolerated,
)
from rules.reading.pods.containers import requested
from rules.reading.pods.pods import PodTemplate
from rules.reading.pools import NODE_GROUP_TYPE, Pool, group_instance_types, read_pools
from rules.reading.shapes import Undecided, attempted, known, mapping_at, mappings_at, quantity, text_at
from rules.rule import graph_rule, rule
from rules.subjects import GPU_PODS, POD_TEMPLATES

_GIB = 2**30
_JOBS = frozenset({"Job", "CronJob"})
# Families whose sizes follow from their names: GiB of memory for each vCPU
# (https://docs.aws.amazon.com/ec2/latest/instancetypes/gp.html, co.html, mo.html).
_GIB_PER_VCPU: Mapping[str, int] = {"c": 2, "m": 4, "r": 8}
_TYPE = re.compile(r"(?P<family>[cmr])[5-9][a-z]*\.(?:(?P<times>[0-9]*)xlarge|(?P<large>large))")
_VCPUS_PER_XLARGE = 4
# Of a large, the smallest size here. How many pods a larger node takes depends on its network interfaces
# and on the cluster's settings, and a pod is 11 MiB: rather too little is reserved than too much.
_FEWEST_PODS = 29
_RESERVED = "what EKS reserves"
_Room = tuple[str, float, float]
"""A node with what runs there, and the CPUs and GiB that are left; daemon sets take a part of them."""


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
        # For known pools other rules compare these numbers.
        interfaces = sum(efa_interfaces(worker) for worker in pods.workers)
        asked["EFA interfaces"] = (interfaces, max(each.efa_interfaces for each in types))
        asked["GPUs"] = (pods.gpus, max(each.gpus for each in types))
    for what, (amount, most) in asked.items():
        if amount > most:
            yield f"asks for {amount:g} {what} in one pod, and {where} has at most {most:g}"


def _nodes(graph: ResourceGraph, pods: GpuPods) -> tuple[Sequence[InstanceType], str, bool]:
    """Nodes that the pods can land on or all known ones, their name, and whether they are of a pool."""
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
    """Processor architectures of the nodes that the pods select; all known ones where they select none."""
    every = {each.cpu_architecture for each in INSTANCE_TYPES.values()}
    asked: set[str | None] = set()
    # Another rule reports a selection that cannot be read.
    with suppress(Undecided):
        for label in required_labels(pods.template.spec):
            if label.key == ARCHITECTURE_LABEL and label.operator == "In":
                asked.update(label.values)
    return every & asked or every


def _asked(template: PodTemplate, resource: str, of_pod: str = "") -> float:
    """The amount that all containers of one pod ask for; `of_pod` names the pod where none can be read."""
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
    # These are subjects that cannot be read at all; the pods themselves are judged by pool.
    yield from GPU_PODS.judge(graph, lambda _graph, _pods: ())
    occupancy = read_occupancy(graph)
    for pods, reason in occupancy.homeless:
        yield undecided(pods.template.resource, pods.name, reason)
    for occupied in occupancy.pools.values():
        resource = occupied.pods[-1].template.resource
        names = ", ".join(dict.fromkeys(pods.name for pods in occupied.pods))
        message = attempted(_overfull, occupied)
        if message is not None:
            see = undecided if isinstance(message, Undecided) else failed
            yield see(resource, names, str(message))


def _overfull(occupied: Occupied) -> str | None:
    placement, sizes = occupied.placement, occupied.sizes
    node, nodes = placement.instance_type, placement.nodes
    packed = can_be_packed(sizes, nodes=nodes, gpus=node.gpus)
    if packed:
        return None
    asked = sum(size * count for size, count in sizes.items())
    counted = " + ".join(pods.counted for pods in occupied.pods if pods.gpus <= node.gpus)
    if asked > nodes * node.gpus:
        message = f"{counted} is {asked} GPUs, but {placement} has {nodes * node.gpus}"
    else:
        message = (
            f"{counted} is {asked} of the {nodes * node.gpus} GPUs of {placement}, but each pod needs its "
            "GPUs on one node, and so they cannot be packed"
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
    rooms = tuple(_rooms_for(graph, template))
    # Not all of it: daemon sets take a part of every node.
    if not rooms or any(cpus < free_cpus and memory < free_gib for _, free_cpus, free_gib in rooms):
        return
    nodes = "; ".join(dict.fromkeys(node for node, _, _ in rooms))
    message = f"asks for {cpus:g} CPUs and {memory:g} GiB, but {nodes}"
    if not _knows_nodes_without_gpus(graph):
        raise Undecided(f"{message}, and nothing says which other nodes there are")
    yield message


def _rooms_for(graph: ResourceGraph, template: PodTemplate) -> Iterator[_Room]:
    """The nodes that a pod of the template may land on, preferences aside."""
    for pool in read_pools(graph).values():
        if isinstance(pool, Pool) and _may_land(template, pool):
            yield _beside_workers(graph, pool)
    for group in graph.of_type(NODE_GROUP_TYPE) if _takes_any_node(template) else ():
        size = _size(graph, group)
        if size is not None:
            name, vcpus, gib = size
            cpus, memory = _allocatable(vcpus, gib)
            node = f"a node of group {group.name} ({name}) has {_shown(cpus, memory)} beside {_RESERVED}"
            yield node, cpus, memory


@memoized
def _knows_nodes_without_gpus(graph: ResourceGraph) -> bool:
    """Whether the graph makes node groups without GPUs, so that all nodes for other pods are known."""
    return any(_size(graph, group) is not None for group in graph.of_type(NODE_GROUP_TYPE))


def _beside_workers(graph: ResourceGraph, pool: Pool) -> _Room:
    """The room on the emptiest node, workers packed as tightly as they can be, largest first."""
    kind = pool.instance_type
    occupied = read_occupancy(graph).pools.get(pool.name)
    whole = _allocatable(kind.vcpus, kind.memory_gib)
    free = [(kind.gpus, *whole)] * (pool.known_nodes or 1)
    pods = [(each, each.pods) for each in (occupied.pods if occupied else ())]
    for each, count in sorted(pods, key=lambda item: -item[0].gpus):
        of_pods = f" of {each.name}"
        cpus = _asked(each.template, "cpu", of_pods)
        memory = _asked(each.template, "memory", of_pods) / _GIB
        for _ in range(count):
            fitting = [room for room in free if room[0] >= each.gpus]
            if not fitting:
                continue
            tightest = min(fitting)
            free.remove(tightest)
            free.append((tightest[0] - each.gpus, tightest[1] - cpus, tightest[2] - memory))
    _, cpus, memory = max(free, key=lambda room: (room[1], room[2]))
    beside = _RESERVED if (cpus, memory) == whole else f"its workers and {_RESERVED}"
    node = f"a node of pool {pool.name} ({kind.name}) has {_shown(cpus, memory)} beside {beside}"
    return node, cpus, memory


def _allocatable(vcpus: int, gib: int) -> tuple[float, float]:
    """CPUs and GiB of a node that pods can have at most.

    Pools are named by EC2 types. A cluster elsewhere may reserve less, but only a graph with EKS node groups
    tells of all nodes: without them a Job that is too large is undecided, not failed.
    """
    return vcpus - eks_reserved_cpus(vcpus), gib - eks_reserved_gib(_FEWEST_PODS)


def _shown(cpus: float, memory: float) -> str:
    return f"{round(cpus, 3):g} CPUs and {round(memory, 2):g} GiB"


def _may_land(template: PodTemplate, pool: Pool) -> bool:
    # Nobody tells of the label, so the pool's nodes are not known to take the pod.
    return known(allows, template.spec, pool) is True and not (
        pool.taints and known(untolerated, template.spec, pool) != []
    )


def _takes_any_node(template: PodTemplate) -> bool:
    """Whether the pod asks its node for no label, so that a system node will do."""
    terms = node_selector_terms(template.spec)
    asked = [item for term in terms for item in mappings_at(term, "matchExpressions")]
    return not mapping_at(template.spec, "nodeSelector") and all(
        text_at(item, "operator") in {"NotIn", "DoesNotExist"} for item in asked
    )


def _size(graph: ResourceGraph, group: Resource) -> tuple[str, int, int] | None:
    """The type, vCPUs and GiB of a group's nodes; None where the type does not say, or they have GPUs."""
    types = known(group_instance_types, graph, group) or []
    found = _TYPE.fullmatch(types[0]) if len(types) == 1 else None
    if found is None:
        return None
    vcpus = 2 if found["large"] else _VCPUS_PER_XLARGE * int(found["times"] or 1)
    return types[0], vcpus, vcpus * _GIB_PER_VCPU[found["family"]]
