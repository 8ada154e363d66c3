"""Capacity Blocks without nodes for now, as the settings say: nothing here reads a clock."""

from collections.abc import Iterable
from dataclasses import replace

from components.purchase import CapacityBlock
from stacks.plan.infrastructure.eks_plan import PlannedNodes
from stacks.plan.stack_plan import StackPlan

NODES_WAIT_SECONDS = 1200
"""For how long `up` waits for the nodes of a pool that has some: a machine with eight GPUs boots in about ten
minutes, and the GPU operator's images follow."""


def waited_for(stack: StackPlan) -> tuple[PlannedNodes, ...]:
    """Return the node groups, without a node so far, that the graph is placed on; it is made after them."""
    groups = stack.infrastructure.gpu_nodes if stack.infrastructure else stack.layers.nodes
    if not stack.layers.owns("serving"):
        return ()
    used = {placed.pool.name for placed in stack.pools if placed.used_gpus}
    return tuple(nodes for nodes in groups if nodes.pool.name in used and _waits(nodes))


def with_open_windows(stack: StackPlan) -> StackPlan:
    """Return the stack as it is once every window has opened."""
    layers = replace(stack.layers, nodes=_opened(stack.layers.nodes))
    plan = stack.infrastructure
    if plan is not None:
        plan = replace(plan, gpu_nodes=_opened(plan.gpu_nodes))
    return replace(stack, layers=layers, infrastructure=plan)


def _waits(nodes: PlannedNodes) -> bool:
    return isinstance(nodes.purchase, CapacityBlock) and nodes.purchase.phase != "active"


def _opened(groups: Iterable[PlannedNodes]) -> tuple[PlannedNodes, ...]:
    return tuple(
        replace(nodes, purchase=replace(nodes.purchase, phase="active"))
        if isinstance(nodes.purchase, CapacityBlock)
        else nodes
        for nodes in groups
    )
