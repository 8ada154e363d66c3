"""The one screen of a stack: what runs where, what it costs, how sure it is, and what a change interrupts."""

import datetime as dt
from collections.abc import Iterator

from explain.costs import gpu_cost
from explain.explanation.cluster import layer_sections
from explain.explanation.section import Section, section
from explain.explanation.serving import address, evidence, kv_path, prompts
from recipes.services import PodRecipe
from sizing.of_recipe import layout_of, measured
from sizing.points import INFERENCEX, SOURCES, Point
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.notices import effects_of_changes
from stacks.updates.planned_update import waiting_text
from stacks.wording import in_words


def title(stack: StackPlan) -> str:
    """Return what the stack is, in one line."""
    platform = "" if stack.platform is None else f" on Dynamo {stack.platform.version}"
    cluster = stack.settings.cluster
    where = f"EKS in {cluster.region}" if cluster.kind == "eks" else f"context {cluster.context}"
    recipe = stack.serving.placed.recipe.name
    return f"{stack.name}: {recipe}{platform}, {where}, lifecycle {stack.settings.lifecycle}"


def short_sections(stack: StackPlan, today: dt.date) -> Iterator[Section]:
    """Yield what every reader asks first; a section without texts has nothing to say."""
    serves, has_nodes = stack.layers.owns("serving"), stack.layers.own != ("platform",)
    yield from layer_sections(stack)
    if serves:
        yield section("Runs", [_services(stack)])
    if has_nodes:
        yield section("On", map(_pool, stack.pools))
        yield section("Cost", [gpu_cost(stack, today)])
    if not serves:
        return
    yield section("Waits", map(waiting_text, waited_for(stack)))
    yield section("Clients", [address(stack)])
    yield section("Prompts", [prompts(stack)])
    yield section("KV path", [kv_path(stack)])
    yield section("Updates", effects_of_changes(stack))
    yield section("Measured", [_measured(stack)])
    yield section("Evidence", ["; ".join(text for text, _ in evidence(stack))])


def _services(stack: StackPlan) -> str:
    return ", ".join(
        f"{each.replicas} {each.name}"
        + (f" of {in_words(each.gpus, 'GPU')}" if each.gpus else "")
        + _processes(each)
        for each in stack.serving.placed.services
    )


def _processes(pod: PodRecipe) -> str:
    if len(pod.processes) == 1:
        return ""
    counts = {each.role: pod.processes.count(each) for each in pod.processes}
    return f" ({', '.join(f'{count} {role}' for role, count in counts.items())})"


def _pool(placed: PlacedPool) -> str:
    pool = placed.pool
    machine = pool.instance_type
    used = f"{placed.used_gpus} of {pool.gpus} {machine.accelerator.name} in use"
    return f"pool {pool.name}: {pool.nodes} x {machine.name}, {used}"


def _measured(stack: StackPlan) -> str:
    """What others measured of the layout; the stack itself was measured by nobody."""
    recipe = stack.serving.placed.recipe
    layout, gpus = layout_of(recipe), stack.used_accelerators
    found = [run for gpu in gpus if (run := measured(recipe, gpu)) is not None]
    if not found:
        return f"nobody has measured this layout ({layout}) on {' or '.join(gpus)}"
    return "; ".join(f"{run.gpu} {layout}, {_figures(run)}" for run in found)


def _figures(run: Point) -> str:
    source = SOURCES[run.source]
    return (
        f"{run.layout.engine} {run.version}, {run.shape}: {run.tokens_per_second_per_gpu:,.0f} tok/s/GPU at "
        f"{run.tpot_ms:.1f} ms between tokens, {run.users:g} users ({INFERENCEX}, {source.date})"
    )
