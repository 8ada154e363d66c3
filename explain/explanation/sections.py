"""Everything that is said of a stack below its tables, in the order of `explain`."""

import datetime as dt
from collections.abc import Iterator

from explain.explanation.order import creation_order, left_by_destroy, protection
from explain.explanation.section import Section, section
from explain.explanation.serving import (
    clients,
    decided,
    draft_models,
    evidence,
    kv_path,
    placements,
    prompts,
    rollouts,
    tools,
)
from explain.explanation.tables import prices, workarounds
from resource_graph import ResourceGraph
from stacks.plan.decisions import losses
from stacks.plan.infrastructure.prices import idle_gpus
from stacks.plan.stack_plan import StackPlan, Topic
from stacks.updates.free_gpus import room_texts
from stacks.updates.notices import effects_of_changes


def sections(stack: StackPlan, graph: ResourceGraph, today: dt.date) -> Iterator[Section]:
    """Yield the sections that have something to say.

    Args:
        stack: what is explained.
        graph: the resources that the program registers for it.
        today: the day on which the age of prices is told.

    """
    return (each for each in _all(stack, graph, today) if each.texts)


def serving_sections(stack: StackPlan) -> Iterator[Section]:
    """Yield what is said of the graph; there is none where another stack serves."""
    # `explain` asks no cluster: it says the same on every machine.
    room = room_texts(stack, "which a preview asks of the cluster too")
    yield section("Room", (text for text, _ in room))
    yield section("Clients", [clients(stack)])
    yield section("Prompts", [prompts(stack)])
    yield section("Draft", draft_models(stack))
    yield section("Tools", tools(stack))
    yield section("Placement", placements(stack))
    yield section("KV path", kv_path(stack))
    yield section("Rollout", rollouts(stack))
    yield section("Updates", effects_of_changes(stack))
    yield section("Losses", losses(stack.serving))


def cost_sections(stack: StackPlan, today: dt.date) -> Iterator[Section]:
    """Yield the published prices, and what is paid for idle GPUs."""
    if stack.layers.own != ("platform",):
        yield section("Prices", prices(stack.pools, today))
    if stack.infrastructure is not None:
        yield section("Idle", idle_gpus(stack.infrastructure, stack.pools))


def life_sections(stack: StackPlan, graph: ResourceGraph) -> Iterator[Section]:
    """Yield what `destroy` refuses to delete, what it leaves, and what is worked around or waived."""
    if stack.infrastructure is not None:
        yield section("Protected", protection(graph))
    yield section("Retained", left_by_destroy(stack.retained))
    if stack.layers.owns("serving"):
        yield section("Defects", workarounds(stack))
    yield section("Waived", (f"{w.rule} until {w.expires}: {w.reason}" for w in stack.waivers))


def _all(stack: StackPlan, graph: ResourceGraph, today: dt.date) -> Iterator[Section]:
    serves = stack.layers.owns("serving")
    yield from cost_sections(stack, today)
    if serves:
        yield from serving_sections(stack)
    yield section("Order", [creation_order(graph)])
    yield from life_sections(stack, graph)
    yield section("Servers", decided(stack, "servers"))
    yield section("Namespace", decided(stack, "namespaces"))
    if serves:
        yield section("Other", ["; ".join(decided(stack, *_other_topics(stack)))])
        yield section("Evidence", evidence(stack))


def _other_topics(stack: StackPlan) -> tuple[Topic, ...]:
    # Where the cluster goes with the stack, Retained has the objects that are kept.
    on_eks = stack.cluster.kind == "eks"
    return ("cache", "timeouts") if on_eks else ("cache", "timeouts", "lifecycle")
