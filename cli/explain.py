"""`dynamo-stack explain`: one screen with what a stack becomes, and why."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cli.explain_pods import pods_table, workarounds
from cli.explain_pools import pools_table, prices
from cli.output import make_console, make_sections, print_line, print_table
from cli.project import recorded_stack, resolved_stack
from hardware import Standing
from recipes.evidence import evidence_on
from resource_graph import ResourceGraph
from stacks.resolved import Decision, Exposure, KvTransport, ResolvedStack, ServerGroup, Topic
from stacks.updates.kinds import kinds_of_change

_WIDTH = 120
Row = tuple[str, str]

if TYPE_CHECKING:
    from recipes.placed import Rollout


def explain(name: str) -> None:
    """Print what the stack becomes, and why."""
    stack = resolved_stack(name)
    graph = recorded_stack(stack)
    console = make_console(_WIDTH)
    sections = make_sections()
    for row in (*_header(stack), ("", "")):
        sections.add_row(*row)
    print_table(console, sections)
    print_table(console, pools_table(stack.pools))
    print_line(console)
    print_table(console, pods_table(stack))
    print_line(console)
    sections = make_sections()
    for row in _rows(stack, graph):
        sections.add_row(*row)
    print_table(console, sections)


def creation_order(graph: ResourceGraph) -> Sequence[str]:
    """Every resource that is more than bookkeeping, as kind and name; neighbours of one kind together."""
    shown: list[str] = []
    last_kind: str | None = None
    for resource in graph.in_creation_order():
        if not resource.custom or resource.type.startswith("pulumi:"):
            continue
        kind = resource.kind or resource.type.rpartition(":")[2]
        name = resource.object_name if resource.kind else resource.inputs.get("name")
        text = name if isinstance(name, str) else resource.name
        if kind == last_kind:
            shown[-1] += f", {text}"
        else:
            shown.append(f"{kind} {text}")
        last_kind = kind
    return shown


def _header(stack: ResolvedStack) -> Iterator[Row]:
    recipe = stack.serving.recipe_name
    yield "STACK", f"{stack.name} ({stack.source}), recipe {recipe}, lifecycle {stack.lifecycle}"
    cluster = stack.cluster
    kubeconfig = cluster.kubeconfig or "$KUBECONFIG"
    server = f"server must be {cluster.server}" if cluster.server else "server not checked"
    yield "CLUSTER", f"{cluster.kind}, context {cluster.context} of {kubeconfig}, {server}"
    platform = stack.platform
    parts = [f"{platform.kind}, Dynamo {platform.version} in {platform.namespace}, {platform.graph_api}"]
    if platform.discovery is not None:
        parts.append(f"discovery {platform.discovery}")
    parts += [_server("NATS", platform.nats), _server("etcd", platform.etcd)]
    yield "PLATFORM", ", ".join(part for part in parts if part)


def _server(name: str, group: ServerGroup | None) -> str:
    if group is None:
        return ""
    return f"{name} {group.address}" if group.kind == "external" else f"{name} {group.kind} x{group.members}"


def _rows(stack: ResolvedStack, graph: ResourceGraph) -> Iterator[Row]:
    yield from _labelled("PRICES", prices(stack.pools))
    yield "CLIENTS", _clients(stack)
    yield from _labelled("PLACEMENT", _placement(stack))
    yield from _labelled("KV PATH", _kv_path(stack.serving.kv_transport))
    yield from _labelled("ROLLOUT", _rollout(stack))
    yield from _labelled("UPDATES", (f"{kind.settings}: {kind.effect}" for kind in kinds_of_change(stack)))
    yield from _labelled("ORDER", [" > ".join(creation_order(graph))])
    yield from _labelled("RETAINED", _retained(stack))
    yield from _labelled("DEFECTS", workarounds(stack))
    yield from _labelled("WAIVED", (f"{w.rule} until {w.expires}: {w.reason}" for w in stack.waivers))
    yield from _labelled("SERVERS", _decisions(stack, "servers"))
    yield "OTHER", "; ".join(_decisions(stack, "cache", "timeouts", "lifecycle"))
    yield from _labelled("EVIDENCE", _evidence(stack))


def _clients(stack: ResolvedStack) -> str:
    serving = stack.serving
    inside = f"http://{serving.graph_name}-frontend.{serving.namespace}.svc.cluster.local:8000 in the cluster"
    policies = f"network policies {'on' if stack.network_policies else 'off'}"
    match serving.exposure:
        case Exposure(kind="internalLoadBalancer"):
            return f"{inside} and an internal load balancer, {policies}"
        case Exposure(class_name=class_name, host=host, tls_secret_name=tls):
            scheme = "https" if tls else "http"
            return f"{inside} and {scheme}://{host} by Ingress class {class_name}, {policies}"
        case None:
            return f"{inside} only, {policies}"


def _labelled(label: str, texts: Iterable[str]) -> Iterator[Row]:
    for index, text in enumerate(texts):
        yield ("" if index else label), text


def _decisions(stack: ResolvedStack, *topics: Topic) -> Iterator[str]:
    for decision in stack.decisions:
        if decision.topic in topics:
            yield f"{decision.subject}: {decision.choice} ({decision.reason})"


def _placement(stack: ResolvedStack) -> Iterator[str]:
    alike: dict[str, list[Decision]] = {}
    for decision in stack.decisions:
        if decision.topic == "placement":
            alike.setdefault(decision.choice, []).append(decision)
    for choice, found in alike.items():
        # Workers of one pool differ by their GPUs alone, and those stand in the table.
        reason = f" ({found[0].reason})" if len(found) == 1 else ""
        yield f"{', '.join(decision.subject for decision in found)}: {choice}{reason}"


def _kv_path(transport: KvTransport | None) -> Iterator[str]:
    if transport is None:
        yield "none: aggregated, the KV cache never leaves its worker"
        return
    path = transport.path
    chosen = "typed" if transport.typed else "chosen"
    standing = f"{path.standing.value} ({path.source.text})"
    yield f"{path.transport}, {chosen}, {standing}: {path.reason}"
    yield f"ceiling: {transport.ceiling}"
    if transport.placement:
        yield f"placement: {transport.placement}"
    verb = "lifted by" if path.standing is Standing.DOCUMENTED or path.transport == "tcp" else "proven by"
    yield f"{verb}: {path.lifted_by}"


def _rollout(stack: ResolvedStack) -> Iterator[str]:
    alike: dict[Rollout, list[str]] = {}
    for worker in stack.serving.placed.workers:
        if worker.placement is not None:
            alike.setdefault(worker.placement.rollout, []).append(worker.name)
    for rollout, workers in alike.items():
        yield f"{', '.join(workers)}: {rollout.strategy} ({rollout.reason}); {rollout.interruption}"


def _retained(stack: ResolvedStack) -> Iterator[str]:
    groups: dict[tuple[str, str | None, str], list[str]] = {}
    for kept in stack.retained:
        groups.setdefault((kept.kind, kept.namespace, kept.reason), []).append(kept.name)
    for (kind, namespace, reason), names in groups.items():
        place = "" if namespace is None else f" in {namespace}"
        yield f"{kind} {_shortened(names)}{place}: {reason}"
    if not groups:
        yield "nothing"


def _shortened(names: Sequence[str]) -> str:
    """Names of definitions end in their group; of several it is said once."""
    groups = {name.partition(".")[2] for name in names}
    if len(names) == 1 or len(groups) > 1 or groups == {""}:
        return ", ".join(names)
    return f"of {groups.pop()} ({', '.join(name.partition('.')[0] for name in names)})"


def _evidence(stack: ResolvedStack) -> Iterator[str]:
    recipe = stack.serving.placed.recipe
    for accelerator in sorted(
        {pool.instance_type.accelerator.name for pool in stack.pools if pool.used_gpus}
    ):
        found = evidence_on(recipe, accelerator)
        upstream = "validated upstream" if accelerator in recipe.validated_on else "not validated upstream"
        yield f"{accelerator}: {found.level.value}, {upstream}; {found.reason}"
