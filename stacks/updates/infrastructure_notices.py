"""Notices about a cluster that the stack makes: idle GPUs, nodes to come, nodes that are exchanged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.infrastructure.prices import idle_gpus, price_source
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.plan.versions import SUPPORT_ENDS_SOON
from stacks.settings.purchase import CapacityBlock
from stacks.updates.comparable_graph import Graph
from stacks.updates.deployed_nodes import SYSTEM, DeployedNodes, node_changes, system_change
from stacks.updates.notices import Notice
from stacks.wording import in_words


def infrastructure_notices(stack: StackPlan) -> Iterable[Notice]:
    """Say what is paid for and not used; nothing of a cluster that exists."""
    plan = stack.infrastructure
    if plan is None:
        return
    version = plan.cluster.version
    ends = SUPPORT_ENDS_SOON.get(version)
    if ends is not None:
        text = f"Kubernetes {version}: standard support ends {ends}; AWS then upgrades the control plane"
        advice = "the next one, and nodes follow: docs/updates.md"
        yield Notice(f"{text} by itself\n  try: another cluster.version ({advice})", warns=True)
    for nodes, text in zip(plan.gpu_nodes, idle_gpus(plan, stack.pools), strict=True):
        source = price_source(nodes)
        said = f" ({source.text}, {source.date})" if source else ""
        yield Notice(f"pool {text}{said}", warns=False)


def waiting_notice(stack: StackPlan, running: Sequence[Graph]) -> Notice:
    """Say that the graph comes later, and which one goes until then."""
    lines = [f"no graph: {' and '.join(waiting_text(nodes) for nodes in waited_for(stack))}"]
    ends = [f"{graph.name} is deleted, and nothing serves" for graph in running]
    lines += [f"interruption: {text}" for text in ends]
    lines.append(f"then: purchase.phase: active, and `pulumi up` again; {_when(stack)}")
    return Notice("\n  ".join(lines), warns=bool(running), interruption="; ".join(ends) or None)


def waiting_text(nodes: PlannedNodes) -> str:
    """Return why a pool has no node."""
    pool, purchase = f"pool {nodes.pool.name}", nodes.purchase
    if not isinstance(purchase, CapacityBlock):
        raise TypeError(f"{pool} waits for nothing")
    if purchase.phase == "empty":
        return f"{pool} is emptied: its purchase.phase is empty"
    return f"{pool} has no node before its Capacity Block {purchase.id} opens at {purchase.starts}"


def node_notices(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> Iterator[Notice]:
    """Say which nodes are exchanged, and in which order."""
    system = before.get(SYSTEM)
    if system is not None and (text := system_change(plan, system)):
        yield Notice(
            f"system nodes: {text}: exchanged one by one, each new one before an old one", warns=False
        )
    for change in node_changes(plan, before):
        text = f"pool {change.nodes.pool.name}: {change.text}"
        if not change.running:
            yield Notice(f"{text}: it has no node, and the next ones are made so", warns=False)
            continue
        number = in_words(change.running, "node")
        if change.replaces_group:
            order = f"{number} end at once, before new ones come: it is another node group"
            interruption = "every worker of the pool ends, and loads the model again on the new nodes"
        else:
            order = f"{number} exchanged one by one, each old one first"
            interruption = "the workers of a node end with it, and load the model again on the next"
        lines = [f"{text}: {order}", f"interruption: {interruption}"]
        yield Notice("\n  ".join(lines), warns=True, interruption=interruption)


def _when(stack: StackPlan) -> str:
    purchases = [nodes.purchase for nodes in waited_for(stack)]
    if all(isinstance(purchase, CapacityBlock) and purchase.phase == "empty" for purchase in purchases):
        return "what nodes are made of can change with it"
    return f"`dynamo-stack preflight {stack.name}` says when"
