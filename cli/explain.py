"""`dynamo-stack explain`: one screen with what a stack becomes, and why."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from cli.explain_cluster import header_rows
from cli.explain_tables import names_by, prices, print_pods, print_pools, workarounds
from cli.output import Row, labelled, make_console, print_line, print_sections
from components.dynamo_objects import FRONTEND_PORT, frontend_service
from components.exposure_kinds import IngressRule, InternalLoadBalancer
from hardware import KvPath, Standing
from operations.project import recorded_stack, resolved_stack
from recipes.evidence import evidence_on
from resource_graph import ResourceGraph
from stacks.plan.infrastructure.prices import idle_gpus
from stacks.plan.losses import losses
from stacks.plan.recipe_choice import aggregated_recipes_like
from stacks.plan.stack_plan import Decision, RetainedObject, StackPlan, Topic
from stacks.updates.free_gpus import room_texts
from stacks.updates.notices import effects_of_changes
from stacks.wording import alternatives

_WIDTH = 120
_PROTECTED_WORDS = {
    "aws:ec2/vpc:Vpc": "network",
    "aws:eks/cluster:Cluster": "cluster",
    "aws:kms/key:Key": "key",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "FSx",
    "aws:efs/fileSystem:FileSystem": "EFS",
    "kubernetes:core/v1:PersistentVolumeClaim": "claim",
    "kubernetes:core/v1:Namespace": "namespaces",
}
_PAGE = "destroy-a-cluster"


def explain(name: str) -> None:
    """Print what the stack becomes, and why."""
    stack = resolved_stack(name)
    graph = recorded_stack(stack)
    console = make_console(_WIDTH)
    print_sections(console, (*header_rows(stack), ("", "")))
    if stack.layers.own != ("platform",):
        print_pools(console, stack)
        print_line(console)
    if stack.layers.owns("serving"):
        print_pods(console, stack)
        print_line(console)
    print_sections(console, _rows(stack, graph))


def _creation_order(graph: ResourceGraph) -> str:
    """Every resource that is more than bookkeeping, as kind and name; neighbours of one kind together."""
    groups = groupby(_steps(graph), key=lambda step: step[0])
    return " > ".join(f"{kind} {', '.join(name for _, name in steps)}" for kind, steps in groups)


def _protected(graph: ResourceGraph) -> Iterator[str]:
    """What `destroy` refuses to delete, and what lifts that."""
    held = [
        words
        for kind, words in _PROTECTED_WORDS.items()
        if any(resource.protect for resource in graph.of_type(kind))
    ]
    if held:
        yield f"{', '.join(held)}; lifted by lifecycle: disposable (runbook: {_PAGE})"


def _left_by_destroy(retained: Sequence[RetainedObject]) -> Iterator[str]:
    """What `destroy` leaves, each with its reason once."""
    groups = names_by(((kept.kind, kept.namespace, kept.reason), kept.name) for kept in retained)
    for (kind, namespace, reason), names in groups.items():
        place = "" if namespace is None else f" in {namespace}"
        yield f"{kind} {_shortened(names)}{place}: {reason}"
    if not groups:
        yield "nothing"


def _rows(stack: StackPlan, graph: ResourceGraph) -> Iterator[Row]:
    if stack.layers.own != ("platform",):
        yield from labelled("PRICES", prices(stack.pools))
    if stack.infrastructure is not None:
        yield from labelled("IDLE", idle_gpus(stack.infrastructure, stack.pools))
    serves = stack.layers.owns("serving")
    if serves:
        yield from _before_order(stack)
    yield from labelled("ORDER", [_creation_order(graph)])
    if stack.infrastructure is not None:
        yield from labelled("PROTECTED", _protected(graph))
    yield from labelled("RETAINED", _left_by_destroy(stack.retained))
    if serves:
        yield from labelled("DEFECTS", workarounds(stack))
    yield from labelled("WAIVED", (f"{w.rule} until {w.expires}: {w.reason}" for w in stack.waivers))
    yield from labelled("SERVERS", _decisions(stack, "servers"))
    yield from labelled("NAMESPACE", _decisions(stack, "namespaces"))
    if serves:
        yield "OTHER", "; ".join(_decisions(stack, *_other_topics(stack)))
        yield from labelled("EVIDENCE", _evidence(stack))


def _before_order(stack: StackPlan) -> Iterator[Row]:
    # `explain` asks no cluster: it says the same on every machine.
    room = room_texts(stack, None, "which a preview asks of the cluster too")
    yield from labelled("ROOM", (text for text, _ in room))
    yield "CLIENTS", _clients(stack)
    yield "PROMPTS", _prompts(stack)
    yield from labelled("DRAFT", _draft_models(stack))
    yield from labelled("PLACEMENT", _placement(stack))
    yield from labelled("KV PATH", _kv_path(stack))
    yield from labelled("ROLLOUT", _rollouts(stack))
    yield from labelled("UPDATES", effects_of_changes(stack))
    yield from labelled("LOSSES", losses(stack.serving))


def _other_topics(stack: StackPlan) -> tuple[Topic, ...]:
    # Where the cluster goes with the stack, RETAINED has the objects that are kept.
    on_eks = stack.cluster.kind == "eks"
    return ("cache", "timeouts") if on_eks else ("cache", "timeouts", "lifecycle")


def _clients(stack: StackPlan) -> str:
    serving = stack.serving
    host = f"{frontend_service(serving.graph_name)}.{serving.namespace}.svc.cluster.local"
    inside = f"http://{host}:{FRONTEND_PORT} in the cluster"
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
    prompt, sequence, model = recipe.longest_prompt, recipe.longest_sequence, recipe.model.shape.max_positions
    if sequence == model == prompt + 1:
        return f"up to {model:,} tokens with the answer, as the model takes; the engine refuses longer ones"
    return (
        f"up to {prompt:,} tokens, {sequence:,} with the answer (the model takes {model:,}); the engine "
        "refuses longer ones"
    )


def _draft_models(stack: StackPlan) -> Iterator[str]:
    for draft in stack.serving.placed.recipe.draft_models:
        yield (
            f"{draft.repository} proposes tokens: no structured output (response_format) with it, which may "
            "be no JSON and may crash the engine (docs/which-recipe.md)"
        )


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


def _rollouts(stack: StackPlan) -> Iterator[str]:
    placed = ((worker.placement, worker.name) for worker in stack.serving.placed.workers)
    alike = names_by((placement.rollout, name) for placement, name in placed if placement is not None)
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


def _steps(graph: ResourceGraph) -> Iterator[tuple[str, str]]:
    # Resources in the account are only counted: a VPC alone is two dozen.
    resources = [
        each for each in graph.in_creation_order() if each.custom and not each.type.startswith("pulumi:")
    ]
    in_account = sum(each.type.startswith("aws:") for each in resources)
    if in_account:
        yield "account", f"({in_account} resources)"
    for resource in resources:
        # A volume stands in the order with the claim that it is made for.
        if resource.type.startswith("aws:") or resource.kind == "PersistentVolume":
            continue
        name = resource.object_name if resource.kind else resource.inputs.get("name")
        kind = resource.kind or resource.type.rpartition(":")[2]
        yield kind, name if isinstance(name, str) else resource.name


def _shortened(names: Sequence[str]) -> str:
    """Names of definitions end in their group; of several it is said once."""
    groups = {name.partition(".")[2] for name in names}
    if len(names) == 1 or len(groups) > 1 or groups == {""}:
        return ", ".join(names)
    return f"of {groups.pop()} ({', '.join(name.partition('.')[0] for name in names)})"
