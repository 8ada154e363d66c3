"""A stack, what the program registers for it and what the rules say, as the data of its page."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from explain.explanation.cluster import foundation
from explain.explanation.order import Step, creation_steps
from explain.explanation.section import Section
from explain.explanation.sections import cost_sections, life_sections, serving_sections
from explain.explanation.serving import evidence, kv_path
from explain.explanation.tables import pool_rows, service_rows
from explain.machines import PoolDrawing, pool_drawing
from explain.memory import workers_memory
from explain.page import Page, ServingPart, Table
from explain.short import short_sections
from explain.verdict import verdict
from resource_graph import ResourceGraph
from rules.model import Report
from stacks.plan.stack_plan import StackPlan
from stacks.wording import in_words

_ACCOUNT = "account"
_POOL_HEADERS = (
    *("Pool", "Nodes", "GPUs", "Used", "Cost of the used"),
    *("Idle", "Cost of the idle", "Priced", "Nodes in use"),
)
_SERVICE_HEADERS = ("Service", "Pods", "GPUs", "CPUs", "Memory", "Runs on", "Network devices, claims")
# In the subtitle, the verdict, the overview, the part about the KV path and the decisions.
_SHOWN_ELSEWHERE = {"Stack", "Waiting", "Layers", "Prompts", "KV path", "Placement", "Updates"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A stack with its resources and findings."""

    stack: StackPlan
    now: ResourceGraph
    """Resources that `up` makes as the settings are."""
    later: ResourceGraph
    """Resources once every Capacity Block has opened; the same where none is waited for."""
    report: Report
    """Findings on `later`: a graph is judged before the hours that it costs begin."""
    rules: int
    """How many rules judged."""


def build_page(judged: Judged, today: dt.date) -> Page:
    """Return the page.

    Args:
        judged: the stack.
        today: the day on which the age of prices is told.

    """
    stack, recipe = judged.stack, judged.stack.serving.placed.recipe
    has_nodes = stack.layers.own != ("platform",)
    prices = [text for section in cost_sections(stack, today) for text in section.texts]
    return Page(
        stack=stack.name,
        subtitle=f"{recipe.name}, {recipe.title}; lifecycle {stack.lifecycle}; {stack.source}",
        verdict=verdict(stack, judged.report),
        # The verdict says what is waited for.
        overview=tuple(each for each in short_sections(stack, today) if each.title != "Waits"),
        pools=tuple(_pools(stack)) if has_nodes else (),
        elsewhere=tuple(_elsewhere(stack)),
        serving=_serving(judged) if stack.layers.owns("serving") else None,
        cost=_table("Node pools and what their GPUs cost an hour", _POOL_HEADERS, pool_rows(stack))
        if has_nodes
        else None,
        prices=tuple(prices),
        decisions=_decisions(stack),
        settings=tuple(_settings(judged, today)),
        steps=tuple(_steps(judged)),
        report=judged.report,
        rules=judged.rules,
    )


def _pools(stack: StackPlan) -> Iterator[PoolDrawing]:
    placed = stack.serving.placed
    # Pools with workers first: the others have nothing to show but idle GPUs.
    for pool in sorted(stack.pools, key=lambda pool: not pool.used_gpus):
        yield pool_drawing(pool, placed.workers, same_clique=placed.same_clique)


def _elsewhere(stack: StackPlan) -> Iterator[str]:
    if stack.infrastructure is not None:
        system = stack.infrastructure.cluster.system_nodes
        yield f"{system.nodes} x {system.instance_type} for everything without GPUs"
    if not stack.layers.owns("serving"):
        return
    where = "on the workers' nodes" if stack.serving.placed.cache_nodes else "on nodes without GPUs"
    for service in stack.serving.placed.services:
        if service.placement is None:
            yield f"{service.name}: {in_words(service.replicas, 'pod')} {where}"


def _serving(judged: Judged) -> ServingPart:
    stack = judged.stack
    placed = stack.serving.placed
    return ServingPart(
        services=_table("Services of the graph", _SERVICE_HEADERS, service_rows(stack)),
        kv_path=tuple(kv_path(stack)),
        memory=workers_memory(judged.later, placed.workers),
        evidence=tuple(evidence(stack)),
    )


def _decisions(stack: StackPlan) -> Table:
    rows = ((each.subject, each.choice, each.reason) for each in stack.decisions)
    return _table("Decisions", ("Decision", "Choice", "Reason"), rows)


def _settings(judged: Judged, today: dt.date) -> Iterator[Section]:
    stack = judged.stack
    found = [*foundation(stack, today)]
    if stack.layers.owns("serving"):
        found += serving_sections(stack)
    found += life_sections(stack, judged.now)
    return (section for section in found if section.texts and section.title not in _SHOWN_ELSEWHERE)


def _steps(judged: Judged) -> Iterator[Step]:
    now = creation_steps(judged.now)
    made_now = {(step.kind, name) for step in now for name in step.names}
    for step in creation_steps(judged.later):
        if step.kind == _ACCOUNT:
            # Only counted, and `explain` counts what `up` makes as the settings are.
            yield from (each for each in now if each.kind == _ACCOUNT)
            continue
        for is_later in (False, True):
            names = tuple(name for name in step.names if ((step.kind, name) not in made_now) is is_later)
            if names:
                yield Step(step.kind, names, is_later)


def _table(title: str, headers: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Table:
    return Table(title, headers, tuple(tuple(row) for row in rows))
