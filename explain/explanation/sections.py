"""Everything that is said of a stack, in the order in which `explain --all` and the page print it."""

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from explain.costs import prices
from explain.explanation.cluster import foundation
from explain.explanation.order import creation_order, left_by_destroy, protection
from explain.explanation.reasons import losses, model_and_waits, placements, servers
from explain.explanation.section import EXPLAINED, Section, section
from explain.explanation.serving import (
    clients,
    draft_models,
    evidence,
    kv_path_in_full,
    prompts,
    rollouts,
    tools,
)
from explain.explanation.tables import (
    POOL_HEADERS,
    SERVICE_HEADERS,
    ExplainedPool,
    ExplainedService,
    explained_pools,
    explained_services,
    workarounds,
)
from resource_graph import ResourceGraph
from stacks.plan.infrastructure.prices import idle_gpus
from stacks.plan.stack_plan import StackPlan
from stacks.updates.free_gpus import room_texts
from stacks.updates.notices import effects_of_changes


class Explanation(BaseModel):
    """What a stack becomes, and why. Sentences are those of the text; no program should take them apart."""

    model_config: ClassVar[ConfigDict] = {**EXPLAINED, "frozen": True}

    stack: str
    file: str
    recipe: str
    lifecycle: str
    foundation: tuple[Section, ...]
    """What it is, and what it stands on."""
    pools: tuple[ExplainedPool, ...]
    """Empty of a stack that owns the platform alone."""
    services: tuple[ExplainedService, ...]
    """Services of the graph; empty where another stack serves."""
    sections: tuple[Section, ...]
    """All else; each has something to say."""

    @property
    def tables(self) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
        """Title, headers and rows of pools and services; the first cell of a row names it."""
        if self.pools:
            pools = [pool.cells for pool in self.pools]
            yield "Node pools and what their GPUs cost an hour", POOL_HEADERS, pools
        if self.services:
            yield "Services of the graph", SERVICE_HEADERS, [service.cells for service in self.services]


def explained(stack: StackPlan, graph: ResourceGraph, today: dt.date) -> Explanation:
    """Return all that is said of a stack.

    Args:
        stack: what is explained.
        graph: the resources that the program registers for it.
        today: the day on which the age of prices is told.

    """
    has_nodes, serves = stack.layers.own != ("platform",), stack.layers.owns("serving")
    return Explanation(
        stack=stack.name,
        file=stack.source,
        recipe=stack.serving.placed.recipe.name,
        lifecycle=stack.settings.lifecycle,
        foundation=tuple(foundation(stack, today)),
        pools=tuple(explained_pools(stack)) if has_nodes else (),
        services=tuple(explained_services(stack)) if serves else (),
        sections=tuple(each for each in _sections(stack, graph, today) if each.texts),
    )


def _sections(stack: StackPlan, graph: ResourceGraph, today: dt.date) -> Iterator[Section]:
    serves, plan = stack.layers.owns("serving"), stack.infrastructure
    if stack.layers.own != ("platform",):
        yield section("Prices", prices(stack.pools, today))
    if plan is not None:
        yield section("Idle", (text for text, _ in idle_gpus(stack.priced_pools())))
    if serves:
        yield from _serving(stack)
    yield section("Order", [creation_order(graph)])
    if plan is not None:
        yield section("Protected", protection(graph))
    yield section("Retained", left_by_destroy(stack.retained))
    if serves:
        yield section("Defects", workarounds(stack))
    yield section("Waived", (f"{w.rule} until {w.expires}: {w.reason}" for w in stack.settings.waivers))
    yield section("Servers", servers(stack.platform))
    if serves:
        yield section("Other", ["; ".join(model_and_waits(stack))])
        yield section("Evidence", map("; ".join, evidence(stack)))


def _serving(stack: StackPlan) -> Iterator[Section]:
    # `explain` asks no cluster: it says the same on every machine.
    room = room_texts(stack, "which a preview asks of the cluster too")
    yield section("Room", (text for text, _ in room))
    yield section("Clients", [clients(stack)])
    yield section("Prompts", [prompts(stack)])
    yield section("Draft", draft_models(stack))
    yield section("Tools", tools(stack))
    yield section("Placement", placements(stack))
    yield section("KV path", kv_path_in_full(stack))
    yield section("Rollout", rollouts(stack))
    yield section("Updates", effects_of_changes(stack))
    yield section("Losses", losses(stack.serving))
