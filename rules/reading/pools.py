"""The node pools that a graph tells of: component inputs, EKS node groups, and `--pool`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hardware import ACCELERATORS, INSTANCE_TYPES, InstanceType, described_node
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.shapes import (
    Undecided,
    attempted,
    mapping_at,
    mappings_at,
    memoized,
    text_at,
    texts_at,
    whole_number_at,
)

POOL_TYPE = "dynamo-stack:check:NodePool"
"""Type of the resource that stands for a pool which a person named beside a file."""
_INPUT = "nodePools"
PRODUCT_LABEL = "nvidia.com/gpu.product"
NODE_GROUP_TYPE = "aws:eks/nodeGroup:NodeGroup"
_LAUNCH_TEMPLATE_TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
_EFFECTS: Mapping[str, str] = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint that keeps pods without a toleration off a node."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Pool:
    """Equal nodes."""

    name: str
    instance_type: InstanceType
    known_nodes: int | None
    """Number of nodes; None where the graph does not say, such as for a node group that something scales."""
    labels: Mapping[str, str]
    """Labels that the pool's nodes are known to carry, the instance type's own included."""
    taints: tuple[Taint, ...] | None
    """Taints of the pool's nodes; None where nobody says which they have."""
    nvlink_domains: tuple[int, ...]
    """GPU counts that an NVLink domain of the nodes can have; a single one where somebody says it."""

    def __str__(self) -> str:
        node = self.instance_type
        return f"pool {self.name} ({self.nodes} x {node.name} with {node.gpus} GPUs each)"

    @property
    def nodes(self) -> int:
        """Number of nodes; raises Undecided where nobody says."""
        if self.known_nodes is None:
            raise Undecided(f"nothing says how many nodes pool {self.name} has")
        return self.known_nodes


def pool_resource(name: str, instance_type: str, nodes: int) -> Resource:
    """A pool that a person named, as a resource of the graph that it is judged with."""
    inputs: Mapping[str, Value] = {"instanceType": instance_type, "nodes": nodes}
    return Resource(urn=f"pool:{name}", type=POOL_TYPE, name=name, inputs=inputs, custom=False)


@memoized
def read_pools(graph: ResourceGraph) -> Mapping[str, Pool | Undecided]:
    """All GPU pools that the graph tells of by name, or why one cannot be judged by."""
    pools: dict[str, Pool | Undecided] = {}
    for name, pool in _read(graph):
        twin = _twin(pool, pools.values()) if isinstance(pool, Pool) else None
        if twin is not None and isinstance(pool, Pool):
            pools[twin.name] = replace(twin, taints=pool.taints)
        elif pool is not None:
            pools.setdefault(pool.name if isinstance(pool, Pool) else name, pool)
    return pools


def known_pools(graph: ResourceGraph) -> Sequence[Pool]:
    """The pools, where all of them can be read."""
    pools: list[Pool] = []
    for name, pool in read_pools(graph).items():
        if isinstance(pool, Undecided):
            raise Undecided(f"pool {name}: {pool}")
        pools.append(pool)
    if not pools:
        raise Undecided("nothing says which pool it runs in")
    return pools


def read_node(entry: Mapping[str, Value]) -> InstanceType:
    """The node of a pool or a placement: an instance type by its name, or what the entry describes."""
    node, name = mapping_at(entry, "node"), text_at(entry, "instanceType")
    if not node:
        if name is None:
            raise Undecided("names no instanceType")
        if name not in INSTANCE_TYPES:
            raise Undecided(f"instance type {name} is not one of {', '.join(sorted(INSTANCE_TYPES))}")
        return INSTANCE_TYPES[name]
    accelerator = ACCELERATORS.get(text_at(node, "accelerator") or "")
    sizes = [whole_number_at(node, key) for key in ("gpus", "cpu", "memoryGib", "nvlinkDomainGpus")]
    if accelerator is None or not all(sizes):
        raise Undecided("describes its node with a GPU or sizes that are not known here")
    gpus, vcpus, memory_gib, domain = (size or 0 for size in sizes)
    return described_node(
        accelerator, gpus=gpus, vcpus=vcpus, memory_gib=memory_gib, nvlink_domain_gpus=domain
    )


def node_labels(instance_type: InstanceType) -> Mapping[str, str]:
    """Labels that every node of the type carries once NVIDIA's feature discovery has run."""
    return {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": instance_type.cpu_architecture,
        "node.kubernetes.io/instance-type": instance_type.name,
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.count": str(instance_type.gpus),
        PRODUCT_LABEL: instance_type.accelerator.product_label,
    }


def read_taints(entry: Mapping[str, Value]) -> Iterator[Taint]:
    """The taints of a node, a node group or a pool, by Kubernetes' names of effects."""
    for taint in mappings_at(entry, "taints"):
        effect = text_at(taint, "effect") or ""
        yield Taint(text_at(taint, "key") or "", text_at(taint, "value") or "", _EFFECTS.get(effect, effect))


def group_instance_types(graph: ResourceGraph, group: Resource) -> Sequence[str]:
    """The instance types that a node group or its launch template names; none where neither does."""
    own = [name for name in texts_at(group.inputs, "instanceTypes") if name]
    if own:
        return own
    templates = (graph.find(urn) for urn in sorted(group.dependencies))
    for template in templates:
        if template is not None and template.type == _LAUNCH_TEMPLATE_TYPE:
            name = text_at(template.inputs, "instanceType")
            return [name] if name else []
    return []


def _read(graph: ResourceGraph) -> Iterator[tuple[str, Pool | Undecided | None]]:
    for resource in graph.of_type(POOL_TYPE):
        yield resource.name, attempted(_pool, resource.name, resource.inputs)
    for resource in graph.components():
        entries = attempted(mappings_at, resource.inputs, _INPUT) if _INPUT in resource.inputs else ()
        if isinstance(entries, Undecided):
            yield resource.name, entries
            continue
        for index, entry in enumerate(entries):
            given = entry.get("name")
            name = given if isinstance(given, str) else f"{resource.name}[{index}]"
            yield name, attempted(_pool, name, entry)
    for resource in graph.of_type(NODE_GROUP_TYPE):
        yield resource.name, attempted(_node_group, graph, resource)


def _twin(pool: Pool, others: Iterable[Pool | Undecided]) -> Pool | None:
    """The pool with the same nodes: a node group is named after its cluster and its pool."""
    return next(
        (
            other
            for other in others
            if isinstance(other, Pool)
            and other.instance_type is pool.instance_type
            and pool.name.endswith(f"-{other.name}")
        ),
        None,
    )


def _pool(name: str, entry: Mapping[str, Value]) -> Pool:
    instance_type = read_node(entry)
    taints = None if entry.get("taints") is None else tuple(read_taints(entry))
    domain = whole_number_at(entry, "nvlinkDomainGpus")
    return Pool(
        name=name,
        instance_type=instance_type,
        known_nodes=whole_number_at(entry, "nodes"),
        labels={**_labels_of_kind(instance_type, _labels(entry)), **_labels(entry)},
        taints=taints,
        nvlink_domains=instance_type.nvlink_domain_gpus if domain is None else (domain,),
    )


def _node_group(graph: ResourceGraph, group: Resource) -> Pool | None:
    """The pool that a node group makes; None for one without GPUs."""
    types = group_instance_types(graph, group)
    if not types:
        raise Undecided("neither its instanceTypes nor a launch template of this program names its type")
    if len(types) > 1:
        raise Undecided(f"has several instance types: {', '.join(types)}")
    if types[0] not in INSTANCE_TYPES:
        return None
    instance_type = INSTANCE_TYPES[types[0]]
    return Pool(
        name=text_at(group.inputs, "nodeGroupName") or group.name,
        instance_type=instance_type,
        known_nodes=whole_number_at(group.inputs, "scalingConfig", "maxSize"),
        labels={**node_labels(instance_type), **_labels(group.inputs)},
        taints=tuple(read_taints(group.inputs)),
        nvlink_domains=instance_type.nvlink_domain_gpus,
    )


def _labels_of_kind(node: InstanceType, told: Mapping[str, str]) -> Mapping[str, str]:
    labels = node_labels(node)
    if node.name in INSTANCE_TYPES:
        return labels
    # Where another label than the product finds a described node, feature discovery may not have run.
    has_others = PRODUCT_LABEL in told
    return {
        key: value
        for key, value in labels.items()
        if key.startswith("kubernetes.io/") or (has_others and key.startswith("nvidia.com/"))
    }


def _labels(entry: Mapping[str, Value]) -> Mapping[str, str]:
    labels = mapping_at(entry, "labels")
    return {key: value for key, value in labels.items() if isinstance(value, str)}
