"""What a reader takes home: whether the stack can serve, and what stands in the way."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hardware import Standing
from rules.model import Report
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.planned_update import waiting_text
from stacks.wording import in_words

Tone = Literal["stop", "warn", "wait", "good"]
"""stop: `up` ends before anything is made. warn: it may not serve. wait: nothing is made yet."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The one sentence that a reader takes home, and what else is to be known."""

    tone: Tone
    headline: str
    points: tuple[str, ...]


def verdict(stack: StackPlan, report: Report) -> Headline:
    """Return the gravest sentence as the headline, and the others below it."""
    (tone, headline), *rest = (*_obstacles(stack, report), *_fits(stack))
    return Headline(tone, headline, tuple(text for _, text in rest))


def _obstacles(stack: StackPlan, report: Report) -> Iterator[tuple[Tone, str]]:
    """Yield what is in the way, the gravest first."""
    stops = sum(finding.stops for finding in report.findings)
    if stops:
        yield "stop", f"`up` ends before it changes anything: {in_words(stops, 'mandatory finding')}"
    if report.broken:
        yield "stop", f"Unchecked: {in_words(len(report.broken), 'rule')} could not judge this stack"
    if not stack.layers.owns("serving"):
        return
    transport = stack.serving.placed.kv_transport
    if transport is not None and transport.path.reported_failing:
        yield "warn", f"The KV cache path {transport.name} is reported failing on this hardware"
    elif transport is not None and transport.path.standing is Standing.UNPROVEN:
        yield "warn", f"The KV cache path {transport.name} is unproven: {transport.path.reason}"
    waits = [waiting_text(nodes) for nodes in waited_for(stack)]
    if waits:
        yield "wait", f"Nothing serves yet: {'; '.join(waits)}"


def _fits(stack: StackPlan) -> Iterator[tuple[Tone, str]]:
    if not stack.layers.owns("serving"):
        yield "good", f"This stack owns {' and '.join(stack.layers.own)}; another one serves"
        return
    used = sum(placed.used_gpus for placed in stack.pools)
    nodes = sum(placed.packing.used_nodes for placed in stack.pools)
    yield "good", f"All workers fit: {in_words(used, 'GPU')} on {in_words(nodes, 'node')}"
