"""The page of a stack as plain data: everything that the templates show, ready to be shown."""

import datetime as dt
from dataclasses import dataclass

from explain.explanation.section import Section
from explain.explanation.sections import Explanation, explained
from explain.machines import PoolDrawing, pool_drawing
from explain.memory import WorkerMemory, workers_memory
from explain.short import short_sections
from explain.verdict import Headline, verdict
from resource_graph import ResourceGraph
from rules.model import Report
from stacks.plan.stack_plan import StackPlan


@dataclass(frozen=True, slots=True)
class Page:
    """One stack."""

    stack: str
    subtitle: str
    verdict: Headline
    overview: tuple[Section, ...]
    """The one screen of `explain`."""
    pools: tuple[PoolDrawing, ...]
    memory: tuple[WorkerMemory, ...]
    report: Report
    rules: int
    """How many rules judged."""
    explanation: Explanation
    """What `explain --all` prints."""


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
    placed = stack.serving.placed
    has_nodes, serves = stack.layers.own != ("platform",), stack.layers.owns("serving")
    # Pools with workers first: the others have nothing to show but idle GPUs.
    pools = sorted(stack.pools, key=lambda pool: not pool.used_gpus) if has_nodes else ()
    return Page(
        stack=stack.name,
        subtitle=f"{placed.recipe.name}, {placed.recipe.title}; lifecycle {stack.lifecycle}; {stack.source}",
        verdict=verdict(stack, report),
        # The verdict says what is waited for.
        overview=tuple(each for each in short_sections(stack, today) if each.title != "Waits"),
        pools=tuple(pool_drawing(pool, placed.workers, same_clique=placed.same_clique) for pool in pools),
        memory=workers_memory(later, placed.workers) if serves else (),
        report=report,
        rules=rules,
        explanation=explained(stack, now, today),
    )
