"""Capacity Blocks whose windows have not opened, as the settings say: nothing here reads a clock."""

from dataclasses import replace

from stacks.infrastructure.plan import CapacityBlock, PlannedNodes
from stacks.resolved import ResolvedStack


def waited_for(stack: ResolvedStack) -> tuple[PlannedNodes, ...]:
    """Return the node groups, without a node so far, that the graph is placed on; it is made after them."""
    groups = stack.infrastructure.gpu_nodes if stack.infrastructure else stack.layers.nodes
    used = {pool.name for pool in stack.pools if pool.used_gpus}
    return tuple(nodes for nodes in groups if nodes.pool in used and _waits(nodes))


def with_open_windows(stack: ResolvedStack) -> ResolvedStack:
    """Return the stack as it is once every window has opened."""
    plan, layers = stack.infrastructure, stack.layers
    joined = replace(layers, nodes=tuple(_opened(nodes) for nodes in layers.nodes))
    if plan is None:
        return replace(stack, layers=joined)
    groups = tuple(_opened(nodes) for nodes in plan.gpu_nodes)
    return replace(stack, infrastructure=replace(plan, gpu_nodes=groups))


def _waits(nodes: PlannedNodes) -> bool:
    return isinstance(nodes.purchase, CapacityBlock) and nodes.purchase.phase == "waiting"


def _opened(nodes: PlannedNodes) -> PlannedNodes:
    purchase = nodes.purchase
    if not isinstance(purchase, CapacityBlock):
        return nodes
    return replace(nodes, purchase=replace(purchase, phase="active"))
