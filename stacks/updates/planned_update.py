"""The effects of the next `up` on what runs, worked out before anything is registered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from components.cluster_answer import DEPLOYMENTS
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.infrastructure.prices import PricedPool, idle_gpus
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.plan.versions import SUPPORT_ENDS_SOON
from stacks.settings.cluster import CapacityBlock
from stacks.updates.beside_what_runs import Replacement, replacement
from stacks.updates.comparable_graph import Graph, read_graph, read_server
from stacks.updates.deployed_nodes import SYSTEM, DeployedNodes, node_changes, resized, system_change
from stacks.updates.nested_values import mapping_in
from stacks.updates.notices import (
    Notice,
    cache_notices,
    graph_notices,
    leftover_notice,
    platform_notices,
    replacement_notice,
)
from stacks.updates.running import Running
from stacks.wording import in_words


@dataclass(frozen=True, slots=True)
class Update:
    """Change from what runs to what the stack asks for."""

    notices: tuple[Notice, ...] = ()
    replacement: Replacement | None = None
    resized: frozenset[str] = frozenset()
    """Node groups whose number of nodes is set."""
    restarts_workers: bool = False
    """Whether every worker ends: it restarts, or another graph takes the place of its own, or none does."""

    @property
    def interruption(self) -> str | None:
        """How long requests are not answered, each reason once; None where they are answered all the time."""
        found = dict.fromkeys(notice.interruption for notice in self.notices if notice.interruption)
        return "; ".join(found) or None


FIRST = Update()
"""Nothing runs, or nothing is known of it."""


def planned_update(stack: StackPlan, wanted: Graph, before: Running, seen: tuple[Notice, ...] = ()) -> Update:
    """Return what happens to what the last run left.

    The stack has the rollouts that there is room for, and `wanted` is its graph with them
    (stacks/updates/beside_what_runs.py); `seen` is what the cluster says of it.
    """
    notices = [
        *seen,
        *platform_notices(before.release, stack.platform),
        *cache_notices(stack, before),
    ]
    plan, sized, how, restarts = stack.infrastructure, frozenset[str](), None, False
    if plan:
        notices += infrastructure_notices(plan, stack.priced_pools())
        notices += node_notices(plan, before.node_groups)
        sized = resized(plan, before.node_groups)
    if waited_for(stack):
        notices.append(waiting_notice(stack, before.graphs))
        restarts = bool(before.graphs)
    elif running := before.graph_before(wanted):
        how = replacement(stack, running, wanted)
        restarts = how is not None or not running.makes_same_workers(wanted)
        if how is None:
            notices += graph_notices(stack, running, wanted)
            notices += (leftover_notice(graph) for graph in before.graphs if graph is not running)
        else:
            notices.append(replacement_notice(stack, running, wanted, how))
    return Update(tuple(notices), how, sized, restarts_workers=restarts)


def infrastructure_notices(plan: EksPlan, pools: Iterable[PricedPool]) -> Iterable[Notice]:
    """Say which support ends soon, and what is paid for and not used."""
    version = plan.cluster.version
    ends = SUPPORT_ENDS_SOON.get(version)
    if ends is not None:
        text = f"Kubernetes {version}: standard support ends {ends}; AWS then upgrades the control plane"
        advice = "the next one, and nodes follow: docs/updates.md"
        yield Notice(f"{text} by itself\n  try: another cluster.version ({advice})", warns=True)
    for text, price in idle_gpus(pools):
        said = f" ({price.source.text}, {price.source.date})" if price else ""
        yield Notice(f"pool {text}{said}", warns=False)


def waiting_notice(stack: StackPlan, running: Sequence[Graph]) -> Notice:
    """Say that the graph comes later, and which one goes until then."""
    lines = [f"no graph: {' and '.join(waiting_text(nodes) for nodes in waited_for(stack))}"]
    ends = [f"{graph.name} is deleted, and nothing serves" for graph in running]
    lines += [f"interruption: {text}" for text in ends]
    is_emptied = all(nodes.phase == "empty" for nodes in waited_for(stack))
    when = f"`dynamo-stack preflight {stack.name}` says when"
    then = "what nodes are made of can change with it" if is_emptied else when
    lines.append(f"then: purchase.phase: active, and `pulumi up` again; {then}")
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


def scaled_notices(
    stack: StackPlan, wanted: Graph, before: Running, cluster: ClusterReader
) -> Iterator[Notice]:
    """Say which numbers are neither the state's nor the stack's; nothing where the cluster cannot be read.

    A graph that is replaced is left out: nobody scales it back.
    """
    if not stack.layers.owns("serving") or waited_for(stack):
        return
    running = before.graph_in_place_of(wanted)
    if running is None or replacement(stack, running, wanted):
        return
    of_server, of_graph = (DEPLOYMENTS, read_server, "server"), (GRAPH_OBJECTS, read_graph, "graph")
    kind, read, word = of_server if wanted.is_server else of_graph
    live = cluster.ask(kind, wanted.name, wanted.namespace).first
    if live is None:
        return
    found = read(wanted.name, wanted.namespace, mapping_in(live, "spec")).services
    for role in stack.serving.placed.services:
        service, number = found.get(role.name), wanted.services[role.name].replicas
        if service is None or service.replicas in {number, running.services[role.name].replicas}:
            continue
        # The settings have no 0.
        keep = f"; serving.replicas.{role.role}: {service.replicas} keeps them" if service.replicas else ""
        yield Notice(
            f"{role.name} of {word} {wanted.name} has {service.replicas} replicas in the cluster, not set by "
            f"this stack, which says {number}\n"
            f"  the next update of it sets {number} back, or ends at a conflict with an autoscaler{keep} "
            "(docs/runbook/drift.md)",
            warns=True,
        )
