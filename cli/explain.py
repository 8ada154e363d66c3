"""`dynamo-stack explain`."""

from collections.abc import Sequence

from rich.console import Console

from cli import kv_path
from cli.evidence import evidence
from cli.output import make_console, make_table, print_line, print_table
from cli.project import recorded_stack, resolved_stack
from hardware import InstanceType
from resource_graph import ResourceGraph
from stacks.resolved import ResolvedPool, ResolvedStack


def explain(name: str) -> None:
    """Print what the stack becomes, and why."""
    stack = resolved_stack(name)
    graph = recorded_stack(stack)
    console = make_console()
    serving = stack.serving
    print_line(
        console,
        f"stack {stack.name} ({stack.source}), recipe {serving.recipe_name}, lifecycle {stack.lifecycle}",
    )
    print_line(console, f"cluster: {stack.cluster.kind}, kubeconfig context {stack.cluster.context}")
    _print_pools(console, stack.pools)
    _print_services(console, stack)
    _print_kv_path(console, stack)
    _print_decisions(console, stack)
    _print_order(console, graph)
    _print_retained(console, stack)
    _print_evidence(console, stack)


def creation_order(graph: ResourceGraph) -> Sequence[str]:
    """Every resource that is more than bookkeeping, as kind and name."""
    shown: list[str] = []
    for resource in graph.in_creation_order():
        if not resource.custom or resource.type.startswith("pulumi:"):
            continue
        kind = resource.kind or resource.type.rpartition(":")[2]
        name = resource.object_name if resource.kind else resource.inputs.get("name")
        shown.append(f"{kind} {name if isinstance(name, str) else resource.name}")
    return shown


def _print_pools(console: Console, pools: Sequence[ResolvedPool]) -> None:
    table = make_table("POOL", "NODES", "GPUS", "USED", "IDLE", "IDLE COST")
    for pool in pools:
        instance_type = pool.instance_type
        table.add_row(
            pool.name,
            f"{pool.nodes} x {instance_type.name}",
            f"{pool.gpus} {instance_type.accelerator.name}",
            str(pool.used_gpus),
            str(pool.free_gpus),
            _idle_cost(instance_type, pool.free_gpus),
        )
    print_line(console)
    print_table(console, table)


def _idle_cost(instance_type: InstanceType, gpus: int) -> str:
    if not gpus:
        return "none"
    if instance_type.on_demand_usd_per_gpu_hour is not None:
        return f"${gpus * instance_type.on_demand_usd_per_gpu_hour:,.2f} an hour on demand"
    if instance_type.capacity_block_usd_per_gpu_hour is not None:
        return f"${gpus * instance_type.capacity_block_usd_per_gpu_hour:,.2f} an hour in a Capacity Block"
    return "no published price"


def _print_services(console: Console, stack: ResolvedStack) -> None:
    reasons = {decision.subject: decision.reason for decision in stack.decisions}
    table = make_table("SERVICE", "REPLICAS", "GPUS EACH", "RUNS ON", "WHY")
    for service in stack.serving.placed.services:
        placement = service.placement
        runs_on, why = "any node without GPUs", "it uses none"
        if placement is not None:
            labels = "\n".join(f"{label}={value}" for label, value in placement.node_selector.items())
            runs_on, why = f"pool {placement.pool}\n{labels}", reasons.get(_nodes_of(service.name), "")
        table.add_row(service.name, str(service.replicas), str(service.gpus), runs_on, why)
    print_line(console)
    print_table(console, table)


def _nodes_of(service: str) -> str:
    return f"nodes of {service}"


def _print_kv_path(console: Console, stack: ResolvedStack) -> None:
    table = make_table("KV PATH", stack.serving.kv_transport.name)
    table.add_row("why", stack.serving.kv_transport.reason)
    table.add_row("ceiling", kv_path.ceiling(stack.serving.placed.recipe))
    table.add_row("lifted by", kv_path.lift())
    print_line(console)
    print_table(console, table)


def _print_decisions(console: Console, stack: ResolvedStack) -> None:
    table = make_table("DECISION", "CHOICE", "WHY")
    shown_above = {"KV transport", *(_nodes_of(service.name) for service in stack.serving.placed.services)}
    for decision in stack.decisions:
        if decision.subject not in shown_above:
            table.add_row(decision.subject, decision.choice, decision.reason)
    print_line(console)
    print_table(console, table)


def _print_order(console: Console, graph: ResourceGraph) -> None:
    table = make_table("ORDER OF CREATION")
    table.add_row(" > ".join(creation_order(graph)))
    print_line(console)
    print_table(console, table)


def _print_retained(console: Console, stack: ResolvedStack) -> None:
    table = make_table("DESTROY LEAVES", "WHY")
    groups: dict[tuple[str, str], list[str]] = {}
    for kept in stack.retained:
        name = kept.name if kept.namespace is None else f"{kept.namespace}/{kept.name}"
        groups.setdefault((kept.kind, kept.reason), []).append(name)
    for (kind, reason), names in groups.items():
        table.add_row("\n".join([f"{kind}:" if len(names) > 1 else kind, *names]), reason)
    if not groups:
        table.add_row("nothing", "")
    print_line(console)
    print_table(console, table)


def _print_evidence(console: Console, stack: ResolvedStack) -> None:
    print_line(console)
    used = {pool.instance_type.accelerator.name for pool in stack.pools if pool.used_gpus}
    for accelerator in sorted(used):
        found = evidence(stack.serving.recipe_name, accelerator)
        print_line(console, f"EVIDENCE on {accelerator}: {found.level.value}; {found.reason}")
