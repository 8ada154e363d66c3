"""`dynamo-stack explain`: one screen with what a stack becomes, and why."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cli.explain_infrastructure import infrastructure_rows
from cli.explain_layers import joined_cluster, joined_platform, layer_rows
from cli.explain_objects import creation_order, left_by_destroy, protected
from cli.explain_pods import pods_table, workarounds
from cli.explain_pools import pools_table, prices
from cli.output import Row, make_console, make_sections, print_line, print_table
from components.exposure_kinds import IngressRule, InternalLoadBalancer
from components.purchase import Purchase
from components.servers import BundledServers, EtcdArgs, EtcdServers, ExternalServers, NatsArgs, NatsServers
from hardware import KvPath, Standing
from operations.project import recorded_stack, resolved_stack
from recipes.evidence import evidence_on
from resource_graph import ResourceGraph
from stacks.plan.infrastructure.prices import idle_gpus
from stacks.plan.platform import OwnPlatform
from stacks.plan.recipe_choice import aggregated_recipes_like
from stacks.plan.stack_plan import Decision, StackPlan, Topic, waited_for
from stacks.updates.infrastructure_notices import waiting_text
from stacks.updates.kinds import kinds_of_change
from stacks.updates.occupied import room_texts
from stacks.wording import alternatives

_WIDTH = 120

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
    if stack.layers.own != ("platform",):
        print_table(console, pools_table(stack.pools, _purchases(stack)))
        print_line(console)
    if stack.layers.owns("serving"):
        print_table(console, pods_table(stack))
        print_line(console)
    sections = make_sections()
    for row in _rows(stack, graph):
        sections.add_row(*row)
    print_table(console, sections)


def _header(stack: StackPlan) -> Iterator[Row]:
    recipe = stack.serving.placed.recipe.name
    yield "STACK", f"{stack.name} ({stack.source}), recipe {recipe}, lifecycle {stack.lifecycle}"
    yield from layer_rows(stack)
    yield from _cluster(stack)
    if stack.layers.own != ("infrastructure",):
        yield "PLATFORM", _platform(stack)
    waits = [waiting_text(nodes) for nodes in waited_for(stack)]
    if waits and stack.layers.owns("serving"):
        yield "WAITING", f"no graph is made yet: {'; '.join(waits)}; then purchase.phase: active, and `up`"


def _platform(stack: StackPlan) -> str:
    platform = stack.platform
    runs = joined_platform(stack) or platform.kind
    parts = [f"{runs}, Dynamo {platform.version} in {platform.namespace}, {platform.graph_api}"]
    if isinstance(platform, OwnPlatform):
        release = platform.release
        parts += [f"discovery {release.discovery}", _server("NATS", release.nats)]
        if release.etcd is not None:
            parts.append(_server("etcd", release.etcd))
    return ", ".join(parts)


def _cluster(stack: StackPlan) -> Iterator[Row]:
    if stack.infrastructure is not None:
        yield from infrastructure_rows(stack.infrastructure, stack.cache)
        return
    joined = joined_cluster(stack)
    if joined is not None:
        yield "CLUSTER", joined
        return
    cluster = stack.cluster
    kubeconfig = cluster.kubeconfig or "$KUBECONFIG"
    server = f"server must be {cluster.server}" if cluster.server else "server not checked"
    yield "CLUSTER", f"{cluster.kind}, context {cluster.context} of {kubeconfig}, {server}"


def _purchases(stack: StackPlan) -> dict[str, Purchase]:
    groups = stack.infrastructure.gpu_nodes if stack.infrastructure else stack.layers.nodes
    return {nodes.pool.name: nodes.purchase for nodes in groups}


def _server(name: str, group: NatsServers | EtcdServers) -> str:
    match group:
        case ExternalServers():
            return f"{name} {group.address}"
        case BundledServers():
            return f"{name} bundled x1"
        case NatsArgs() | EtcdArgs():
            return f"{name} own x{group.servers.members}"


def _rows(stack: StackPlan, graph: ResourceGraph) -> Iterator[Row]:
    if stack.layers.own != ("platform",):
        yield from _labelled("PRICES", prices(stack.pools))
    if stack.infrastructure is not None:
        yield from _labelled("IDLE", idle_gpus(stack.infrastructure, stack.pools))
    serves = stack.layers.owns("serving")
    if serves:
        yield from _before_order(stack)
    yield from _labelled("ORDER", [" > ".join(creation_order(graph))])
    if stack.infrastructure is not None:
        yield from _labelled("PROTECTED", protected(graph))
    yield from _labelled("RETAINED", left_by_destroy(stack.retained))
    if serves:
        yield from _labelled("DEFECTS", workarounds(stack))
    yield from _labelled("WAIVED", (f"{w.rule} until {w.expires}: {w.reason}" for w in stack.waivers))
    yield from _labelled("SERVERS", _decisions(stack, "servers"))
    if serves:
        yield "OTHER", "; ".join(_decisions(stack, *_other_topics(stack)))
        yield from _labelled("EVIDENCE", _evidence(stack))


def _before_order(stack: StackPlan) -> Iterator[Row]:
    # `explain` asks no cluster: it says the same on every machine.
    room = room_texts(stack, None, "which a preview asks of the cluster too")
    yield from _labelled("ROOM", (text for text, _ in room))
    yield "CLIENTS", _clients(stack)
    yield "PROMPTS", _prompts(stack)
    yield from _labelled("PLACEMENT", _placement(stack))
    yield from _labelled("KV PATH", _kv_path(stack))
    yield from _labelled("ROLLOUT", _rollout(stack))
    yield from _labelled("UPDATES", (f"{kind.settings}: {kind.effect}" for kind in kinds_of_change(stack)))


def _other_topics(stack: StackPlan) -> tuple[Topic, ...]:
    # Of a cluster that goes with the stack, what is kept stands in RETAINED.
    on_eks = stack.cluster.kind == "eks"
    return ("cache", "timeouts") if on_eks else ("cache", "timeouts", "lifecycle")


def _clients(stack: StackPlan) -> str:
    serving = stack.serving
    inside = f"http://{serving.graph_name}-frontend.{serving.namespace}.svc.cluster.local:8000 in the cluster"
    policies = f"network policies {_enforced(stack)}"
    match serving.exposure:
        case InternalLoadBalancer():
            return f"{inside} and an internal load balancer, {policies}"
        case IngressRule(class_name=class_name, host=host, tls_secret_name=tls):
            scheme = "https" if tls else "http"
            return f"{inside} and {scheme}://{host} by Ingress class {class_name}, {policies}"
        case None:
            return f"{inside} only, {policies}"


def _enforced(stack: StackPlan) -> str:
    if not stack.network_policies:
        return "off"
    # Every cluster that a stack of this project makes has a CNI that was told to enforce them.
    return "on" if stack.cluster.kind == "eks" else "made; enforced if your CNI enforces them"


def _prompts(stack: StackPlan) -> str:
    recipe = stack.serving.placed.recipe
    prompt, sequence, model = recipe.longest_prompt, recipe.longest_sequence, recipe.model.max_positions
    if sequence == model == prompt + 1:
        return f"up to {model:,} tokens with the answer, as the model takes; the engine refuses longer ones"
    return (
        f"up to {prompt:,} tokens, {sequence:,} with the answer (the model takes {model:,}); the engine "
        "refuses longer ones"
    )


def _labelled(label: str, texts: Iterable[str]) -> Iterator[Row]:
    for index, text in enumerate(texts):
        yield ("" if index else label), text


def _decisions(stack: StackPlan, *topics: Topic) -> Iterator[str]:
    for decision in stack.decisions:
        if decision.topic in topics:
            yield f"{decision.subject}: {decision.choice} ({decision.reason})"


def _placement(stack: StackPlan) -> Iterator[str]:
    alike: dict[str, list[Decision]] = {}
    for decision in stack.decisions:
        if decision.topic == "placement":
            alike.setdefault(decision.choice, []).append(decision)
    for choice, found in alike.items():
        # Workers of one pool differ by their GPUs alone, and those stand in the table.
        reason = f" ({found[0].reason})" if len(found) == 1 else ""
        yield f"{', '.join(decision.subject for decision in found)}: {choice}{reason}"


def _kv_path(stack: StackPlan) -> Iterator[str]:
    transport = stack.serving.placed.kv_transport
    if transport is None:
        yield "none: aggregated, the KV cache never leaves its worker"
        return
    path = transport.path
    chosen = "explicit" if transport.explicit else "chosen"
    standing = f"{path.standing.value} ({path.source.text})"
    yield f"{path.transport}, {chosen}, {standing}: {path.reason}{_recommended(stack, path)}"
    yield f"ceiling: {transport.ceiling}"
    if transport.placement:
        yield f"placement: {transport.placement}"
    verb = "lifted by" if path.standing is Standing.DOCUMENTED or path.transport == "tcp" else "proven by"
    yield f"{verb}: {path.lifted_by}"


def _recommended(stack: StackPlan, path: KvPath) -> str:
    if not path.reported_failing:
        return ""
    names = alternatives(aggregated_recipes_like(stack.serving.placed.recipe))
    return f"; recommended: {names} (docs/which-recipe.md)"


def _rollout(stack: StackPlan) -> Iterator[str]:
    alike: dict[Rollout, list[str]] = {}
    for worker in stack.serving.placed.workers:
        if worker.placement is not None:
            alike.setdefault(worker.placement.rollout, []).append(worker.name)
    for rollout, workers in alike.items():
        yield f"{', '.join(workers)}: {rollout.strategy} ({rollout.reason}); {rollout.interruption}"


def _evidence(stack: StackPlan) -> Iterator[str]:
    recipe = stack.serving.placed.recipe
    for accelerator in sorted(
        {placed.pool.instance_type.accelerator.name for placed in stack.pools if placed.used_gpus}
    ):
        found = evidence_on(recipe, accelerator)
        upstream = "validated upstream" if accelerator in recipe.validated_on else "not validated upstream"
        yield f"{accelerator}: {found.level.value}, {upstream}; {found.reason}"
