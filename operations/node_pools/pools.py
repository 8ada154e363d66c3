"""Groups nodes into pools and writes them as `nodePools` of a stack file."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from components.cluster_answer import NODES, Objects
from hardware import INSTANCE_TYPES, Accelerator, InstanceType
from operations.cluster_commands import ClusterCommands
from operations.document import Document
from operations.errors import CommandError
from operations.node_pools.nodes import (
    GPUS,
    INSTANCE_TYPE,
    SIGNS,
    GpuNode,
    LeftOut,
    model_of,
    read_nodes,
)
from stacks.errors import Problem, SettingsError
from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.plan.placement.pools import known_pools
from stacks.settings.explain_validation import problems_of
from stacks.settings.stack import NodePoolSettings
from stacks.updates.guards.cluster_identity import cluster_problems
from stacks.wording import in_words

_COMMAND = "dynamo-stack pools"
# What the clouds and feature discovery tell pools apart by, where the GPU does not.
_DISTINCTIONS = (
    "nvidia.com/gpu.count",
    INSTANCE_TYPE,
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
)


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes that make one pool."""

    accelerator: Accelerator
    labels: Mapping[str, str]
    """By which pods find its GPUs; empty: their product does."""
    selector: tuple[str, ...]
    """What workers find them by; groups with one selector are told apart by a label of the cloud."""
    sold: InstanceType | None
    """Their EC2 instance type; None: they are described."""
    nodes: list[GpuNode]

    @property
    def largest_clique(self) -> int:
        """Nodes of the largest NVLink domain; 1 where no label names any."""
        cliques = Counter(each.clique for each in self.nodes if each.clique)
        return max(cliques.values(), default=1)


class FoundPools(Document):
    """The GPU nodes of a cluster, as a stack file names them."""

    context: str
    left_out: tuple[LeftOut, ...]
    node_pools: tuple[Mapping[str, Any], ...]
    """What belongs below `nodePools` in a stack file (docs/settings.md)."""
    notes: Mapping[str, tuple[str, ...]]
    """Pool -> what the cluster does not say of it."""


def find_pools(context: str, kubeconfig: str | None) -> FoundPools:
    """Return the pools of the cluster that the context leads to.

    Raises:
        SettingsError: there is no such context or kubeconfig.
        CommandError: the cluster does not answer, or has no node with GPUs.

    """
    plan = ClusterPlan("existing", context, kubeconfig, None)
    if problems := cluster_problems(plan):
        options = {"cluster.context": "--context", "cluster.kubeconfig": "--kubeconfig"}
        named = [replace(each, key=options.get(each.key, each.key)) for each in problems]
        raise SettingsError({_COMMAND: named})
    cluster = ClusterCommands.of(plan, needs_helm=False)
    cluster.require_answer()
    listed = cluster.found(Objects(NODES))
    found = pools_of(context, *read_nodes(listed))
    if not found.node_pools and not found.left_out:
        signs = ", ".join(SIGNS)
        raise CommandError(
            f"context {context} leads to {in_words(len(listed), 'node')}, and none has GPUs\n"
            f"  looked for: allocatable {GPUS}; labels {signs}\n"
            "  try: NVIDIA's GPU operator, or its device plugin with feature discovery; or another --context"
        )
    return found


def pools_of(context: str, nodes: Sequence[GpuNode], left_out: Sequence[LeftOut] = ()) -> FoundPools:
    """Return the nodes as pools that a stack file can have."""
    groups, unknown = _groups(nodes)
    names = Counter[str]()
    pools: list[Mapping[str, Any]] = []
    notes: dict[str, tuple[str, ...]] = {}
    unusable = [LeftOut(nodes=tuple(each), reason=reason) for reason, each in unknown.items()]
    for group in groups:
        base = group.accelerator.name.lower()
        name = f"{base}-{names[base] + 1}" if names[base] else base
        alike = [other for other in groups if other is not group and other.selector == group.selector]
        settings, unsaid = _pool(name, group, alike)
        if refused := _refusal(settings):
            unusable.append(LeftOut(nodes=tuple(node.name for node in group.nodes), reason=refused))
            continue
        names[base] += 1
        pools.append(settings)
        notes[name] = unsaid
    return FoundPools(context=context, left_out=(*left_out, *unusable), node_pools=tuple(pools), notes=notes)


def _groups(nodes: Sequence[GpuNode]) -> tuple[Sequence[_Group], Mapping[str, Sequence[str]]]:
    """The nodes that make one pool each, and those whose GPUs nobody knows: the reason -> their names."""
    groups: dict[object, _Group] = {}
    unknown: dict[str, list[str]] = {}
    for node in nodes:
        model = model_of(node)
        if isinstance(model, str):
            unknown.setdefault(model, []).append(node.name)
            continue
        accelerator, labels = model
        sold = _sold_as(node, accelerator, labels)
        selector = (accelerator.name, *labels.values(), node.architecture)
        key = (selector, node.gpus, node.taints, sold and sold.name)
        groups.setdefault(key, _Group(accelerator, labels, selector, sold, [])).nodes.append(node)
    return [*groups.values()], unknown


def _pool(name: str, group: _Group, alike: Sequence[_Group]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The settings of the pool, and what the cluster does not say of it."""
    settings: dict[str, Any] = {"name": name}
    notes: list[str] = []
    if group.sold is not None:
        settings["instanceType"] = group.sold.name
    else:
        settings["node"] = _node(group)
        notes += _domain_notes(group)
    settings["nodes"] = len(group.nodes)
    own = _distinction(group, alike)
    if own:
        settings["labels"] = own
    elif alike:
        notes.append("no label tells these nodes from another pool's: give both a label of their own")
    if rack := _rack(group):
        settings["nvlinkDomainGpus"] = rack
    return settings, (*notes, *_device_notes(group))


def _node(group: _Group) -> dict[str, Any]:
    first = group.nodes[0]
    node: dict[str, Any] = {
        "accelerator": group.accelerator.name,
        "gpus": first.gpus,
        "cpu": min(each.cpus for each in group.nodes),
        "memory": f"{min(each.memory_gib for each in group.nodes)}Gi",
        "architecture": first.architecture,
    }
    if group.accelerator.host.nvlink_crosses_nodes:
        node["nvlinkDomainGpus"] = group.largest_clique * first.gpus
    if group.labels:
        node["labels"] = dict(group.labels)
    node["taints"] = [
        {"key": key, **({"value": value} if value else {}), "effect": effect}
        for key, value, effect in first.taints
    ]
    return node


def _domain_notes(group: _Group) -> Iterator[str]:
    if not group.accelerator.host.nvlink_crosses_nodes:
        return
    cliques = Counter(each.clique for each in group.nodes)
    if "" in cliques:
        yield (
            "nvlinkDomainGpus: without the label nvidia.com/gpu.clique nothing is known to join these nodes; "
            "36 or 72 where one rack's NVLink does"
        )
    elif len(cliques) > 1:
        sizes = ", ".join(str(size) for _, size in cliques.most_common())
        yield f"nvlinkDomainGpus: of the largest of {len(cliques)} NVLink domains, which have {sizes} nodes"


def _device_notes(group: _Group) -> Iterator[str]:
    devices = sorted({name for each in group.nodes for name in each.devices})
    rdma = [name for name in devices if "rdma" in name or name.endswith("/ib")]
    if rdma:
        choice = " or ".join(rdma)
        yield f"rdma: {{resource: {choice}, fabric: infiniband or roce}}, which no label says"
    elif group.sold is None:
        offered = f"; further devices: {', '.join(devices)}" if devices else ""
        yield f"rdma: no InfiniBand or RoCE device is offered to pods{offered}"


def _refusal(settings: Mapping[str, Any]) -> str | None:
    """Why a stack file with this pool would be refused, such as for a node with a broken GPU."""
    try:
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        pool = NodePoolSettings.model_validate_json(json.dumps(settings))
    except ValidationError as error:
        # Such as another architecture, or less than a GiB of memory.
        problems: Sequence[Problem] = problems_of(error, NodePoolSettings)
    else:
        _, problems = known_pools((pool,))
    return (
        "; ".join(f"{each.key.partition('.')[2]} = {each.value}: {each.message}" for each in problems) or None
    )


def _sold_as(node: GpuNode, accelerator: Accelerator, labels: Mapping[str, str]) -> InstanceType | None:
    """The EC2 instance type of a node that is one, complete and with GPUs found by their product."""
    sold = INSTANCE_TYPES.get(node.labels.get(INSTANCE_TYPE, ""))
    if sold is None or labels or sold.accelerator is not accelerator or sold.gpus != node.gpus:
        return None
    # Of an instance type nobody says taints: others than that of GPUs need a description.
    is_plain = all(key == GPUS and effect == "NoSchedule" for key, _, effect in node.taints)
    return sold if is_plain else None


def _rack(group: _Group) -> int | None:
    """The NVLink domain, where nodes of EC2 show that it is larger than the smallest that is sold."""
    if group.sold is None or not group.sold.nvlink_crosses_nodes:
        return None
    shown = group.largest_clique * group.sold.gpus
    larger = (size for size in group.sold.nvlink_domain_gpus if size >= shown)
    return next(larger, None) if shown > min(group.sold.nvlink_domain_gpus) else None


def _distinction(group: _Group, alike: Sequence[_Group]) -> dict[str, str]:
    """A label that all nodes of the group have, with a value that no node of the others has."""
    others = [node for each in alike for node in each.nodes]
    for key in _DISTINCTIONS if others else ():
        values = {node.labels.get(key) for node in group.nodes}
        theirs = {node.labels.get(key) for node in others}
        if len(values) == 1 and None not in values | theirs and not values & theirs:
            return {key: str(values.pop())}
    return {}
