"""Refuses to change the make-up of a Capacity Block's nodes while they run.

EKS wants such a group's desired size at 0 for it
(https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html), and the provider sends version
and template before the size (terraform-provider-aws, internal/service/eks/node_group.go): desired 0 in the
same `up` comes too late. A block has no spare machine for a new node, and the place of one that ended is free
only after several minutes (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html).
"""

from collections.abc import Iterator, Mapping

from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.settings.purchase import CapacityBlock
from stacks.updates.deployed_nodes import DeployedNodes, NodeChange, node_changes
from stacks.wording import in_words

_GUIDE = "docs/capacity-blocks.md#change-what-nodes-are-made-of"

_WITHOUT_TAGS = 2
"""Kinds of things that a template names without tags of the stack: nodes and their disks."""


def running_block_problems(plan: EksPlan | None, before: Mapping[str, DeployedNodes]) -> tuple[Problem, ...]:
    """Return what would exchange nodes of a Capacity Block that run."""
    if plan is None:
        return ()
    changes = (change for change in node_changes(plan, before) if change.before.in_a_block and change.running)
    return tuple(problem for change in changes for problem in _problems(plan, change))


def _problems(plan: EksPlan, change: NodeChange) -> Iterator[Problem]:
    pool = f"nodePools[{plan.gpu_nodes.index(change.nodes)}]"
    number = in_words(change.running, "node")
    message = (
        f"would exchange {number} of a Capacity Block that may run in pool {change.nodes.pool.name} "
        f"({change.text}); nothing was created or changed"
    )
    key, value, allowed = _cause(plan, change, pool)
    way = (
        f"{pool}.purchase.phase: empty, alone, and `pulumi up`; then this change with the phase that is due "
        f"({_GUIDE}). Where the block is over and its nodes are gone: `pulumi refresh`, then `pulumi up`"
    )
    yield Problem(key, value, message, allowed=allowed, suggestion=way)


def _cause(plan: EksPlan, change: NodeChange, pool: str) -> tuple[str, object, str | None]:
    """Return the setting, what stands there and what it was."""
    nodes, before = change.nodes, change.before
    block = nodes.purchase.id if isinstance(nodes.purchase, CapacityBlock) else before.reservation
    kind, was = nodes.pool.instance_type.name, before.template.get("instanceType")
    causes: tuple[tuple[bool, str, object, str | None], ...] = (
        (change.new_version, "cluster.version", change.version, before.version),
        (change.new_image, f"{pool}.amiRelease", nodes.ami_release, before.ami_release),
        (block != before.reservation, f"{pool}.purchase.id", block, before.reservation),
        (was != kind, f"{pool}.instanceType", kind, str(was)),
        ("root disk" in change.changed, f"{pool}.rootVolumeType", nodes.root_volume_type, None),
        ("tags" in change.changed, *_tags(plan, before), None),
    )
    found = ((key, value, allowed) for applies, key, value, allowed in causes if applies)
    return next(found, (pool, nodes.pool.name, None))


def _tags(plan: EksPlan, before: DeployedNodes) -> tuple[str, object]:
    tagged_before = len(before.template.get("tagSpecifications") or ()) > _WITHOUT_TAGS
    if tagged_before and plan.cluster.tag_nodes:
        return "cluster.tags", dict(plan.cluster.tags)
    return "cluster.tagNodes", plan.cluster.tag_nodes
