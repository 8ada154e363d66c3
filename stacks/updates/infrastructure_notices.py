"""What a run says of a cluster that the stack makes: idle GPUs, and nodes that are not there yet."""

from collections.abc import Iterable, Sequence

from stacks.infrastructure.idle import idle_gpus, price_source
from stacks.infrastructure.phases import waited_for
from stacks.infrastructure.plan import CapacityBlock, PlannedNodes
from stacks.resolved import ResolvedStack
from stacks.updates.graph import Graph
from stacks.updates.notices import Notice


def infrastructure_notices(stack: ResolvedStack) -> Iterable[Notice]:
    """Say what is paid for and not used; nothing of a cluster that exists."""
    plan = stack.infrastructure
    if plan is None:
        return
    for nodes, text in zip(plan.gpu_nodes, idle_gpus(plan, stack.pools), strict=True):
        source = price_source(nodes)
        yield Notice(f"pool {text}{f' ({source})' if source else ''}", warns=False)


def waiting_notice(stack: ResolvedStack, running: Sequence[Graph]) -> Notice:
    """Say that the graph comes later, and which one goes until then."""
    lines = [f"no graph: {' and '.join(waiting_text(nodes) for nodes in waited_for(stack))}"]
    lines += [f"interruption: {graph.name} is deleted, and nothing serves" for graph in running]
    when = f"`dynamo-stack preflight {stack.name}` says when"
    lines.append(f"then: purchase.phase: active, and `pulumi up` again; {when}")
    return Notice("\n  ".join(lines), warns=bool(running))


def waiting_text(nodes: PlannedNodes) -> str:
    """Return which window a pool waits for."""
    purchase = nodes.purchase
    if not isinstance(purchase, CapacityBlock):
        raise TypeError(f"pool {nodes.pool} waits for nothing")
    return f"pool {nodes.pool} has no node before its Capacity Block {purchase.id} opens at {purchase.starts}"
