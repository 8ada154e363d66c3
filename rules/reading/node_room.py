"""How much CPU and memory each known node has for one more pod, as far as the graph says."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hardware import eks_reserved_cpus, eks_reserved_gib
from resource_graph import Resource, ResourceGraph
from rules.reading.gpu_pods import GpuPods, read_occupancy
from rules.reading.memoized import memoized
from rules.reading.node_selection import allows, node_selector_terms, untolerated
from rules.reading.pods.containers import requested
from rules.reading.pods.pods import PodTemplate
from rules.reading.pools import NODE_GROUP_TYPE, Pool, group_instance_types, read_pools
from rules.reading.shapes import known, mapping_at, mappings_at, quantity, text_at

# Families whose sizes follow from their names: GiB of memory for each vCPU
# (https://docs.aws.amazon.com/ec2/latest/instancetypes/gp.html, co.html, mo.html).
_GIB_PER_VCPU: Mapping[str, int] = {"c": 2, "m": 4, "r": 8}
_TYPE = re.compile(r"(?P<family>[cmr])[5-9][a-z]*\.(?:(?P<times>[0-9]*)xlarge|(?P<large>large))")
_VCPUS_PER_XLARGE = 4
# Of a large, the smallest size here. How many pods a larger node takes depends on its network interfaces
# and on the cluster's settings, and a pod is 11 MiB: rather too little is reserved than too much.
_FEWEST_PODS = 29
_RESERVED = "what EKS reserves"


@dataclass(frozen=True, slots=True)
class NodeRoom:
    """The node of a pool with the most room."""

    node: str
    """For findings, with what stands on it."""
    cpus: float
    """What its workers and EKS' reservation leave; the cluster's daemon sets take a part of it."""
    memory_gib: float


def rooms_for(graph: ResourceGraph, template: PodTemplate) -> Iterator[NodeRoom]:
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
            yield NodeRoom(node, cpus, memory)


@memoized
def knows_nodes_without_gpus(graph: ResourceGraph) -> bool:
    """Whether the graph makes node groups without GPUs, so that it is known what else there is."""
    return any(_size(graph, group) is not None for group in graph.of_type(NODE_GROUP_TYPE))


def _beside_workers(graph: ResourceGraph, pool: Pool) -> NodeRoom:
    """The room on the emptiest node, workers packed as tightly as they can be, largest first."""
    kind = pool.instance_type
    occupied = read_occupancy(graph).pools.get(pool.name)
    whole = _allocatable(kind.vcpus, kind.memory_gib)
    free = [(kind.gpus, *whole)] * (pool.known_nodes or 1)
    pods = [(each, each.pods) for each in (occupied.pods if occupied else ())]
    for each, count in sorted(pods, key=lambda item: -item[0].gpus):
        cpus, memory = _requests(each, "cpu"), _requests(each, "memory") / 2**30
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
    return NodeRoom(node, cpus, memory)


def _allocatable(vcpus: int, gib: int) -> tuple[float, float]:
    """CPUs and GiB of a node that pods can have at most.

    Pools are named by EC2 types. A cluster elsewhere may reserve less, but only a graph with EKS node groups
    tells of all nodes: without them a Job that is too large is undecided, not failed.
    """
    return vcpus - eks_reserved_cpus(vcpus), gib - eks_reserved_gib(_FEWEST_PODS)


def _shown(cpus: float, memory: float) -> str:
    return f"{round(cpus, 3):g} CPUs and {round(memory, 2):g} GiB"


def _requests(pods: GpuPods, resource: str) -> float:
    amounts = (requested(pods.template, container, resource) for container in pods.template.containers)
    what = f"{resource} of {pods.name}"
    return float(sum(quantity(amount, what) for amount in amounts if amount is not None))


def _may_land(template: PodTemplate, pool: Pool) -> bool:
    # A label that nobody tells of: the pool is no node that is known for the pod.
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
