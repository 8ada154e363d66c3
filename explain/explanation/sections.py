"""Everything that is said of a stack, in the order in which `explain --all` and the page print it."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from explain.explanation.cluster import foundation
from explain.explanation.order import creation_order, left_by_destroy, protection
from explain.explanation.section import Section, Table, section
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
from explain.explanation.tables import prices, tables, workarounds
from resource_graph import ResourceGraph
from stacks.plan.infrastructure.prices import idle_gpus
from stacks.plan.losses import losses
from stacks.plan.stack_plan import StackPlan, Topic
from stacks.updates.free_gpus import room_texts
from stacks.updates.notices import effects_of_changes


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a stack becomes, and why."""

    foundation: tuple[Section, ...]
    """What it is, and what it stands on."""
    tables: tuple[Table, ...]
    sections: tuple[Section, ...]
    """All else; each has something to say."""


def explained(stack: StackPlan, graph: ResourceGraph, today: dt.date) -> Explanation:
    """Return all that is said of a stack.

    Args:
        stack: what is explained.
        graph: the resources that the program registers for it.
        today: the day on which the age of prices is told.

    """
    return Explanation(
        foundation=tuple(foundation(stack, today)),
        tables=tuple(tables(stack)),
        sections=tuple(each for each in _sections(stack, graph, today) if each.texts),
    )


def _sections(stack: StackPlan, graph: ResourceGraph, today: dt.date) -> Iterator[Section]:
    serves, plan = stack.layers.owns("serving"), stack.infrastructure
    if stack.layers.own != ("platform",):
        yield section("Prices", prices(stack.pools, today))
    if plan is not None:
        yield section("Idle", idle_gpus(plan, stack.pools))
    if serves:
        yield from _serving(stack)
    yield section("Order", [creation_order(graph)])
    if plan is not None:
        yield section("Protected", protection(graph))
    yield section("Retained", left_by_destroy(stack.retained))
    if serves:
        yield section("Defects", workarounds(stack))
    yield section("Waived", (f"{w.rule} until {w.expires}: {w.reason}" for w in stack.waivers))
    yield section("Servers", decided(stack, "servers"))
    yield section("Namespace", decided(stack, "namespaces"))
    if serves:
        yield section("Other", ["; ".join(decided(stack, *_other_topics(stack)))])
        yield section("Evidence", evidence(stack))


def _serving(stack: StackPlan) -> Iterator[Section]:
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


def _other_topics(stack: StackPlan) -> tuple[Topic, ...]:
    # Where the cluster goes with the stack, Retained has the objects that are kept.
    on_eks = stack.cluster.kind == "eks"
    return ("cache", "timeouts") if on_eks else ("cache", "timeouts", "lifecycle")
