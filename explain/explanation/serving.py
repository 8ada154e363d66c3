"""Who reaches the model, with what prompts, where its workers run and how its KV cache travels."""

from collections.abc import Iterator

from components.dynamo_objects import FRONTEND_PORT, frontend_service
from engines.release import LOST_TOOL_CALLS_SOURCE, loses_tool_calls
from hardware import Standing
from rules.reading.shapes import grouped
from stacks.plan.recipe_choice import aggregated_recipes_like
from stacks.plan.stack_plan import StackPlan
from stacks.served_runs import evidence_on
from stacks.settings.services import IngressExposure, InternalLoadBalancer
from stacks.wording import alternatives


def clients(stack: StackPlan) -> str:
    """Return at which addresses clients reach the model, and what limits them."""
    return f"{address(stack)}, network policies {_enforced(stack)}"


def address(stack: StackPlan) -> str:
    """Return at which addresses clients reach the model."""
    serving = stack.serving
    host = f"{frontend_service(serving.graph_name)}.{serving.namespace}.svc.cluster.local"
    inside = f"http://{host}:{FRONTEND_PORT} in the cluster"
    match stack.settings.serving.exposure:
        case InternalLoadBalancer():
            return f"{inside} and an internal load balancer"
        case IngressExposure(class_name=class_name, host=host, tls_secret_name=tls):
            scheme = "https" if tls else "http"
            return f"{inside} and {scheme}://{host} by Ingress class {class_name}"
        case None:
            return f"{inside} only"


def prompts(stack: StackPlan) -> str:
    """Return the longest prompt that is answered, in tokens."""
    recipe = stack.serving.placed.recipe
    prompt, sequence, model = recipe.longest_prompt, recipe.longest_sequence, recipe.model.shape.max_positions
    if sequence == model == prompt + 1:
        return f"up to {model:,} tokens with the answer, as the model takes; the engine refuses longer ones"
    return (
        f"up to {prompt:,} tokens, {sequence:,} with the answer (the model takes {model:,}); the engine "
        "refuses longer ones"
    )


def draft_models(stack: StackPlan) -> Iterator[str]:
    """Yield what clients must not ask for where a draft model proposes tokens."""
    for draft in stack.serving.placed.recipe.draft_models:
        yield (
            f"{draft.repository} proposes tokens: no structured output (response_format) with it, which may "
            "be no JSON and may crash the engine (docs/which-recipe.md)"
        )


def tools(stack: StackPlan) -> Iterator[str]:
    """Yield what becomes of tool calls where the release loses some."""
    recipe = stack.serving.placed.recipe
    version = recipe.runtime.version
    if loses_tool_calls(version, recipe.model.shape.name):
        source = LOST_TOOL_CALLS_SOURCE.partition(" ")[0]
        lost = f"Dynamo {version} drops about half of this model's tool calls, 1.4 does not"
        yield f"{lost} ({source}, inferred)"


def kv_path(stack: StackPlan) -> str:
    """Return how the KV cache travels, whether a person typed that, how sure it is and why."""
    transport = stack.serving.placed.kv_transport
    if transport is None:
        return "none: aggregated, the KV cache never leaves its worker"
    path, chosen = transport.path, "typed" if transport.explicit else "chosen"
    return f"{path.transport}, {chosen}, {path.standing.value}: {path.reason}"


def kv_path_in_full(stack: StackPlan) -> Iterator[str]:
    """Yield the same, its source, what it carries and what it demands."""
    yield kv_path(stack)
    transport = stack.serving.placed.kv_transport
    if transport is None:
        return
    path = transport.path
    yield f"source: {path.source.text}"
    if path.reported_failing:
        names = alternatives(aggregated_recipes_like(stack.serving.placed.recipe))
        yield f"recommended: {names} (docs/which-recipe.md)"
    yield f"ceiling: {transport.ceiling}"
    if transport.placement:
        yield f"placement: {transport.placement}"
    verb = "lifted by" if path.standing is Standing.DOCUMENTED or path.transport == "tcp" else "proven by"
    yield f"{verb}: {path.lifted_by}"


def rollouts(stack: StackPlan) -> Iterator[str]:
    """Yield how new workers take the place of old ones, and what clients notice."""
    placed = ((worker.placement, worker.name) for worker in stack.serving.placed.workers)
    alike = grouped((placement.rollout, name) for placement, name in placed if placement is not None)
    for rollout, workers in alike.items():
        yield f"{', '.join(workers)}: {rollout.strategy} ({rollout.reason}); {rollout.interruption}"


def evidence(stack: StackPlan) -> Iterator[tuple[str, str]]:
    """Yield how far the recipe has been tried on each GPU that the stack uses, and the reason to say so."""
    recipe = stack.serving.placed.recipe
    for accelerator in stack.used_accelerators:
        found = evidence_on(recipe, accelerator)
        upstream = "validated upstream" if accelerator in recipe.validated_on else "not validated upstream"
        yield f"{accelerator}: {found.level.value}, {upstream}", found.reason


def _enforced(stack: StackPlan) -> str:
    if not stack.settings.network_policies:
        return "off"
    # Every cluster that a stack of this project makes has a CNI that was told to enforce them.
    return "on" if stack.settings.cluster.kind == "eks" else "made; enforced if your CNI enforces them"
