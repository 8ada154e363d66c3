"""What nodes of a Capacity Block are made of cannot change while they run.

EKS wants such a group's desired size at 0 for it
(https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html), and the provider sends version
and template before the size (terraform-provider-aws, internal/service/eks/node_group.go): desired 0 in the
same `up` comes too late. A block has no spare machine for a new node, and the place of one that ended is free
only after several minutes (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html).
"""

from collections.abc import Iterator, Mapping

from components.purchase import CapacityBlock
from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.updates.node_changes import NodeChange, node_changes
from stacks.updates.node_groups import DeployedNodes
from stacks.wording import in_words

_GUIDE = "docs/capacity-blocks.md#change-what-nodes-are-made-of"


def running_block_problems(plan: EksPlan | None, before: Mapping[str, DeployedNodes]) -> tuple[Problem, ...]:
    """Return what would exchange nodes of a Capacity Block that run.

    Args:
        plan: what is wanted; None: the cluster is somebody else's.
        before: the node groups of the last run, by their names in the program.

    """
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
    key, value, allowed = _cause(change, pool)
    way = (
        f"{pool}.purchase.phase: empty, alone, and `pulumi up`; then this change with the phase that is due "
        f"({_GUIDE}). Where the block is over and its nodes are gone: `pulumi refresh`, then `pulumi up`"
    )
    yield Problem(key, value, message, allowed=allowed, suggestion=way)


def _cause(change: NodeChange, pool: str) -> tuple[str, object, str | None]:
    """Return the setting, what stands there and what it was."""
    purchase, before = change.nodes.purchase, change.before
    if change.new_version:
        return "cluster.version", change.version, before.version
    if isinstance(purchase, CapacityBlock) and purchase.id != before.reservation:
        return f"{pool}.purchase.id", purchase.id, before.reservation
    was = before.template.get("instanceType")
    if was != change.nodes.pool.instance_type.name:
        return f"{pool}.instanceType", change.nodes.pool.instance_type.name, str(was)
    return pool, change.nodes.pool.name, None
