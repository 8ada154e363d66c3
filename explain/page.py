"""The page of a stack: everything that the templates show, and the HTML document that they make of it.

The document asks no server for anything: styles are inside.
"""

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from explain import findings
from explain.explanation.section import Section
from explain.explanation.sections import Explanation, explained
from explain.machines import PoolDrawing, pool_drawing
from explain.memory import PART_NAMES, WorkerMemory, workers_memory
from explain.short import short_sections
from resource_graph import ResourceGraph
from resource_graph.printable import printable
from rules.model import Report
from stacks.plan.stack_plan import StackPlan

TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile("`([^`]*)`")


@dataclass(frozen=True, slots=True)
class Page:
    """What the page of `report` shows of one stack."""

    stack: str
    subtitle: str
    tone: findings.Tone
    """Of the headline."""
    headline: str
    """The one sentence that a reader takes home."""
    points: tuple[str, ...]
    """What else is to be known."""
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
    tone, headline, points = findings.verdict(stack, report)
    return Page(
        stack=stack.name,
        subtitle=f"{placed.recipe.name}, {placed.recipe.title}; lifecycle {stack.settings.lifecycle}; "
        f"{stack.source}",
        tone=tone,
        headline=headline,
        points=points,
        # The verdict says what is waited for.
        overview=tuple(each for each in short_sections(stack, today) if each.texts and each.title != "Waits"),
        pools=tuple(
            pool_drawing(pool, stack.workers_in(pool), same_clique=placed.same_clique) for pool in pools
        ),
        memory=tuple(workers_memory(later, placed.workers)) if serves else (),
        report=report,
        rules=rules,
        explanation=explained(stack, now, today),
    )


def to_html(page: Page) -> str:
    """Return the document, the same bytes for the same page.

    Every text is escaped: names and messages come from other people.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printed,
    )
    template = environment.get_template("page.html")
    return template.render(page=page, findings=findings, part_names=PART_NAMES, coded=_coded)


def _printed(value: Any) -> Any:
    # A browser obeys control characters too: those that turn the direction of text hide what stands there.
    # What a macro returns is escaped already, and the texts in it have been here.
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _coded(text: str) -> Markup:
    """Return the text with what stands between backticks as code, as documents of this project write it."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(printable(text)))))  # noqa: S704 - escaped before
