"""A stack, what the program registers for it and what the rules say, as the data of its page."""

import datetime as dt
from collections.abc import Iterable, Iterator

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


def build_page(
    stack: StackPlan,
    now: ResourceGraph,
    later: ResourceGraph,
    report: Report,
    *,
    rules: int,
    today: dt.date,
) -> Page:
    """Return the page.

    Args:
        stack: what is shown.
        now: resources that `up` makes as the settings are.
        later: resources once every Capacity Block has opened; the same where none is waited for.
        report: findings on `later`: a graph is judged before the hours that it costs begin.
        rules: how many rules judged.
        today: the day on which the age of prices is told.

    """
    recipe = stack.serving.placed.recipe
    has_nodes = stack.layers.own != ("platform",)
    prices = [text for section in cost_sections(stack, today) for text in section.texts]
    return Page(
        stack=stack.name,
        subtitle=f"{recipe.name}, {recipe.title}; lifecycle {stack.lifecycle}; {stack.source}",
        verdict=verdict(stack, report),
        # The verdict says what is waited for.
        overview=tuple(each for each in short_sections(stack, today) if each.title != "Waits"),
        pools=tuple(_pools(stack)) if has_nodes else (),
        elsewhere=tuple(_elsewhere(stack)),
        serving=_serving(stack, later) if stack.layers.owns("serving") else None,
        cost=_table("Node pools and what their GPUs cost an hour", _POOL_HEADERS, pool_rows(stack))
        if has_nodes
        else None,
        prices=tuple(prices),
        decisions=_decisions(stack),
        settings=tuple(_settings(stack, now, today)),
        steps=tuple(_steps(now, later)),
        report=report,
        rules=rules,
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


def _serving(stack: StackPlan, later: ResourceGraph) -> ServingPart:
    return ServingPart(
        services=_table("Services of the graph", _SERVICE_HEADERS, service_rows(stack)),
        kv_path=tuple(kv_path(stack)),
        memory=workers_memory(later, stack.serving.placed.workers),
        evidence=tuple(evidence(stack)),
    )


def _decisions(stack: StackPlan) -> Table:
    rows = ((each.subject, each.choice, each.reason) for each in stack.decisions)
    return _table("Decisions", ("Decision", "Choice", "Reason"), rows)


def _settings(stack: StackPlan, now: ResourceGraph, today: dt.date) -> Iterator[Section]:
    found = [*foundation(stack, today)]
    if stack.layers.owns("serving"):
        found += serving_sections(stack)
    found += life_sections(stack, now)
    return (section for section in found if section.texts and section.title not in _SHOWN_ELSEWHERE)


def _steps(now: ResourceGraph, later: ResourceGraph) -> Iterator[Step]:
    steps_now = creation_steps(now)
    made_now = {(step.kind, name) for step in steps_now for name in step.names}
    for step in creation_steps(later):
        if step.kind == _ACCOUNT:
            # Only counted, and `explain` counts what `up` makes as the settings are.
            yield from (each for each in steps_now if each.kind == _ACCOUNT)
            continue
        for is_later in (False, True):
            names = tuple(name for name in step.names if ((step.kind, name) not in made_now) is is_later)
            if names:
                yield Step(step.kind, names, is_later)


def _table(title: str, headers: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Table:
    return Table(title, headers, tuple(tuple(row) for row in rows))
