"""The node pools that a graph tells of: component inputs, EKS node groups, and `--pool`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hardware import INSTANCE_TYPES, InstanceType
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.memoized import memoized
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at, texts_at, whole_number_at

POOL_TYPE = "dynamo-stack:check:NodePool"
"""Type of the resource that stands for a pool which a person named beside a file."""
_INPUT = "nodePools"
_NODE_GROUP_TYPE = "aws:eks/nodeGroup:NodeGroup"
_LAUNCH_TEMPLATE_TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
_EFFECTS: Mapping[str, str] = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}


@dataclass(frozen=True, slots=True)
class Taint:
    """What keeps pods without a toleration off a node."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Pool:
    """Equal nodes."""

    name: str
    instance_type: InstanceType
    nodes: int | None
    """None where the graph does not say, such as a node group that something scales."""
    labels: Mapping[str, str]
    """Those that its nodes are known to carry, the instance type's own included."""
    taints: tuple[Taint, ...] | None
    """None where nobody says which it has."""
    nvlink_domains: tuple[int, ...]
    """GPUs that an NVLink domain of its nodes can have; one number where somebody says it."""

    @property
    def gpus(self) -> int:
        """GPUs of all its nodes.

        Raises:
            Undecided: nothing says how many nodes it has.
        """
        if self.nodes is None:
            raise Undecided(f"nothing says how many nodes pool {self.name} has")
        return self.nodes * self.instance_type.gpus


@dataclass(frozen=True, slots=True)
class UnreadablePool:
    """A pool that is there and cannot be judged by, and why."""

    name: str
    reason: str


def pool_resource(name: str, instance_type: str, nodes: int) -> Resource:
    """A pool that a person named, as a resource of the graph that it is judged with."""
    inputs: Mapping[str, Value] = {"instanceType": instance_type, "nodes": nodes}
    return Resource(urn=f"pool:{name}", type=POOL_TYPE, name=name, inputs=inputs, custom=False)


@memoized
def read_pools(graph: ResourceGraph) -> Sequence[Pool | UnreadablePool]:
    """All GPU pools that the graph tells of, each once by name."""
    pools: dict[str, Pool | UnreadablePool] = {}
    for name, pool in _read(graph):
        twin = _twin(pool, pools.values())
        if twin is not None and isinstance(pool, Pool):
            pools[twin.name] = replace(twin, taints=pool.taints)
        else:
            pools.setdefault(name, pool)
    return tuple(pools.values())


def known_pools(graph: ResourceGraph) -> Sequence[Pool]:
    """The pools, where all of them can be read.

    Raises:
        Undecided: the graph tells of none, or one of them cannot be read.
    """
    pools: list[Pool] = []
    for pool in read_pools(graph):
        if isinstance(pool, UnreadablePool):
            raise Undecided(f"pool {pool.name}: {pool.reason}")
        pools.append(pool)
    if not pools:
        raise Undecided("nothing says which pool it runs in")
    return pools


def node_labels(instance_type: InstanceType) -> Mapping[str, str]:
    """Labels that every node of the type carries once NVIDIA's feature discovery has run."""
    return {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": instance_type.cpu_architecture,
        "node.kubernetes.io/instance-type": instance_type.name,
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.count": str(instance_type.gpus),
        "nvidia.com/gpu.product": instance_type.accelerator.product_label,
    }


def instance_type_named(name: str) -> InstanceType:
    """The type from the registry.

    Raises:
        Undecided: it is not there.
    """
    instance_type = INSTANCE_TYPES.get(name)
    if instance_type is None:
        raise Undecided(f"instance type {name} is not one of {', '.join(sorted(INSTANCE_TYPES))}")
    return instance_type


def group_instance_types(graph: ResourceGraph, group: Resource) -> Sequence[str]:
    """The instance types that a node group names, itself or in its launch template; none where neither does.

    Raises:
        Undecided: one of them is unknown.
    """
    return [name for name in texts_at(group.inputs, "instanceTypes") if name] or _template_types(graph, group)


def _read(graph: ResourceGraph) -> Iterator[tuple[str, Pool | UnreadablePool]]:
    for resource in graph.of_type(POOL_TYPE):
        yield from _guarded(resource.name, resource.inputs)
    for resource in graph.components():
        if _INPUT not in resource.inputs:
            continue
        try:
            entries = mappings_at(resource.inputs, _INPUT)
        except Undecided as reason:
            yield resource.name, UnreadablePool(resource.name, str(reason))
            continue
        for index, entry in enumerate(entries):
            name = entry.get("name")
            yield from _guarded(name if isinstance(name, str) else f"{resource.name}[{index}]", entry)
    for resource in graph.of_type(_NODE_GROUP_TYPE):
        try:
            pool = _node_group(graph, resource)
        except Undecided as reason:
            yield resource.name, UnreadablePool(resource.name, str(reason))
            continue
        if pool is not None:
            yield pool.name, pool


def _twin(pool: Pool | UnreadablePool, others: Iterable[Pool | UnreadablePool]) -> Pool | None:
    """The pool that is the same nodes: a node group is called after its cluster and its pool."""
    if isinstance(pool, UnreadablePool):
        return None
    known = (
        other for other in others if isinstance(other, Pool) and other.instance_type is pool.instance_type
    )
    return next((other for other in known if pool.name.endswith(f"-{other.name}")), None)


def _guarded(name: str, entry: Mapping[str, Value]) -> Iterator[tuple[str, Pool | UnreadablePool]]:
    try:
        yield name, _pool(name, entry)
    except Undecided as reason:
        yield name, UnreadablePool(name, str(reason))


def _pool(name: str, entry: Mapping[str, Value]) -> Pool:
    type_name = text_at(entry, "instanceType")
    if type_name is None:
        raise Undecided("names no instanceType")
    instance_type = instance_type_named(type_name)
    taints = None if entry.get("taints") is None else tuple(_taints(entry))
    domain = whole_number_at(entry, "nvlinkDomainGpus")
    return Pool(
        name=name,
        instance_type=instance_type,
        nodes=whole_number_at(entry, "nodes"),
        labels={**node_labels(instance_type), **_labels(entry)},
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
        nodes=whole_number_at(group.inputs, "scalingConfig", "maxSize"),
        labels={**node_labels(instance_type), **_labels(group.inputs)},
        taints=tuple(_taints(group.inputs)),
        nvlink_domains=instance_type.nvlink_domain_gpus,
    )


def _template_types(graph: ResourceGraph, group: Resource) -> list[str]:
    for urn in sorted(group.dependencies):
        template = graph.find(urn)
        if template is not None and template.type == _LAUNCH_TEMPLATE_TYPE:
            name = text_at(template.inputs, "instanceType")
            return [name] if name else []
    return []


def _labels(entry: Mapping[str, Value]) -> Mapping[str, str]:
    labels = mapping_at(entry, "labels")
    return {key: value for key, value in labels.items() if isinstance(value, str)}


def _taints(entry: Mapping[str, Value]) -> Iterator[Taint]:
    for taint in mappings_at(entry, "taints"):
        effect = text_at(taint, "effect") or ""
        yield Taint(text_at(taint, "key") or "", text_at(taint, "value") or "", _EFFECTS.get(effect, effect))
