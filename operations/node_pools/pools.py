"""Groups nodes into pools and writes them as `nodePools` of a stack file."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from components.cluster_answer import NODES, KubernetesObject, Objects
from hardware import GPU_RESOURCE, InstanceType
from operations.commands import ClusterCommands
from operations.document import Document
from operations.errors import CommandError
from operations.node_pools.nodes import INSTANCE_TYPE, SIGNS, GpuNode, read_node
from stacks.errors import Problem, SettingsError
from stacks.plan.placement.pools import known_pools
from stacks.settings.cluster import ExistingClusterSettings
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


class LeftOut(Document):
    """Nodes with GPUs that no pool can be made of, and why."""

    nodes: tuple[str, ...]
    reason: str


class FoundPools(Document):
    """The GPU nodes of a cluster, as a stack file names them."""

    context: str
    left_out: tuple[LeftOut, ...]
    node_pools: tuple[Mapping[str, Any], ...]
    """What belongs below `nodePools` in a stack file (docs/settings.md)."""
    notes: Mapping[str, tuple[str, ...]]
    """Pool -> what the cluster does not say of it."""


def find_pools(context: str) -> FoundPools:
    """Return the pools of the cluster that the context leads to.

    Raises:
        SettingsError: there is no such context or kubeconfig.
        CommandError: the cluster does not answer, or has no node with GPUs.

    """
    # What a person has typed here is no setting, and may be no text at all.
    named = ExistingClusterSettings.model_construct(kind="existing", context=context)
    if problems := cluster_problems(named, has_settings=False):
        raise SettingsError({_COMMAND: [replace(each, key="--context") for each in problems]})
    cluster = ClusterCommands.of(named, needs_helm=False)
    cluster.require_answer()
    listed = cluster.found(Objects(NODES))
    found = pools_of(context, listed)
    if not found.node_pools and not found.left_out:
        signs = ", ".join(SIGNS)
        raise CommandError(
            f"context {context} leads to {in_words(len(listed), 'node')}, and none has GPUs\n"
            f"  looked for: allocatable {GPU_RESOURCE}; labels {signs}\n"
            "  try: NVIDIA's GPU operator, or its device plugin with feature discovery; or another --context"
        )
    return found


def pools_of(context: str, listed: Sequence[KubernetesObject]) -> FoundPools:
    """Return the nodes with GPUs as pools that a stack file can have."""
    left_out: dict[str, list[str]] = {}
    by_kind: dict[object, list[GpuNode]] = {}
    for node in listed:
        read = read_node(node)
        if isinstance(read, str):
            left_out.setdefault(read, []).append(node["metadata"]["name"])
        elif read is not None:
            kind = (read.selector, read.gpus, read.taints, read.sold and read.sold.name)
            by_kind.setdefault(kind, []).append(read)
    names = Counter[str]()
    pools: list[Mapping[str, Any]] = []
    notes: dict[str, tuple[str, ...]] = {}
    for nodes in by_kind.values():
        base = nodes[0].accelerator.name.lower()
        name = f"{base}-{names[base] + 1}" if names[base] else base
        others = (each for each in by_kind.values() if each is not nodes)
        alike = [each for other in others for each in other if each.selector == nodes[0].selector]
        settings, unsaid = _pool(name, nodes, alike)
        if refused := _refusal(settings):
            left_out.setdefault(refused, []).extend(node.name for node in nodes)
            continue
        names[base] += 1
        pools.append(settings)
        notes[name] = unsaid
    unusable = tuple(LeftOut(nodes=tuple(each), reason=reason) for reason, each in left_out.items())
    return FoundPools(context=context, left_out=unusable, node_pools=tuple(pools), notes=notes)


def _pool(
    name: str, nodes: Sequence[GpuNode], alike: Sequence[GpuNode]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The settings of the pool of these nodes, and what the cluster does not say of it."""
    sold = nodes[0].sold
    settings: dict[str, Any] = {"name": name}
    notes: list[str] = []
    if sold is not None:
        settings["instanceType"] = sold.name
    else:
        settings["node"] = _described(nodes)
        notes += _domain_notes(nodes)
    settings["nodes"] = len(nodes)
    if own := _distinction(nodes, alike):
        settings["labels"] = own
    elif alike:
        notes.append("no label tells these nodes from another pool's: give both a label of their own")
    if sold is not None and (rack := _rack(sold, nodes)):
        settings["nvlinkDomainGpus"] = rack
    return settings, (*notes, *_device_notes(nodes))


def _described(nodes: Sequence[GpuNode]) -> dict[str, Any]:
    first = nodes[0]
    node: dict[str, Any] = {
        "accelerator": first.accelerator.name,
        "gpus": first.gpus,
        "cpu": min(each.cpus for each in nodes),
        "memory": f"{min(each.memory_gib for each in nodes)}Gi",
        "architecture": first.architecture,
    }
    if first.accelerator.host.nvlink_crosses_nodes:
        node["nvlinkDomainGpus"] = _largest_clique(nodes) * first.gpus
    if first.found_by:
        node["labels"] = dict(first.found_by)
    node["taints"] = [
        {"key": key, **({"value": value} if value else {}), "effect": effect}
        for key, value, effect in first.taints
    ]
    return node


def _largest_clique(nodes: Sequence[GpuNode]) -> int:
    """Nodes of the largest NVLink domain; 1 where no label names any."""
    return max(Counter(each.clique for each in nodes if each.clique).values(), default=1)


def _domain_notes(nodes: Sequence[GpuNode]) -> Iterator[str]:
    if not nodes[0].accelerator.host.nvlink_crosses_nodes:
        return
    cliques = Counter(each.clique for each in nodes)
    if "" in cliques:
        yield (
            "nvlinkDomainGpus: without the label nvidia.com/gpu.clique nothing is known to join these nodes; "
            "36 or 72 where one rack's NVLink does"
        )
    elif len(cliques) > 1:
        sizes = ", ".join(str(size) for _, size in cliques.most_common())
        yield f"nvlinkDomainGpus: of the largest of {len(cliques)} NVLink domains, which have {sizes} nodes"


def _device_notes(nodes: Sequence[GpuNode]) -> Iterator[str]:
    devices = sorted({name for each in nodes for name in each.devices})
    rdma = [name for name in devices if "rdma" in name or name.endswith("/ib")]
    if rdma:
        choice = " or ".join(rdma)
        yield f"rdma: {{resource: {choice}, fabric: infiniband or roce}}, which no label says"
    elif nodes[0].sold is None:
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


def _rack(sold: InstanceType, nodes: Sequence[GpuNode]) -> int | None:
    """The NVLink domain, where nodes of EC2 show that it is larger than the smallest that is sold."""
    if not sold.nvlink_crosses_nodes:
        return None
    shown = _largest_clique(nodes) * sold.gpus
    larger = (size for size in sold.nvlink_domain_gpus if size >= shown)
    return next(larger, None) if shown > min(sold.nvlink_domain_gpus) else None


def _distinction(nodes: Sequence[GpuNode], others: Sequence[GpuNode]) -> dict[str, str]:
    """A label that all of these nodes have, with a value that no node of the others has."""
    for key in _DISTINCTIONS if others else ():
        values = {node.labels.get(key) for node in nodes}
        theirs = {node.labels.get(key) for node in others}
        if len(values) == 1 and None not in values | theirs and not values & theirs:
            return {key: str(values.pop())}
    return {}
