"""What a reader of the page takes home: whether the stack can serve, and what rules found."""

from collections.abc import Iterator, Mapping
from typing import Literal

from hardware import Standing
from rules.model import Finding, Report
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.planned_update import waiting_text
from stacks.wording import in_words

Tone = Literal["stop", "warn", "wait", "good"]
"""stop: `up` ends before anything is made. warn: it may not serve. wait: nothing is made yet."""
_TONES: Mapping[str, Tone] = {"failed": "warn", "undecided": "wait", "waived": "good"}
_ORDER: tuple[Tone, ...] = ("stop", "warn", "wait", "good")


def verdict(stack: StackPlan, report: Report) -> tuple[Tone, str, tuple[str, ...]]:
    """Return the gravest sentence and its tone, and what else is to be known."""
    (tone, headline), *rest = (*_obstacles(stack, report), *_fits(stack))
    return tone, headline, tuple(text for _, text in rest)


def ordered(report: Report) -> list[Finding]:
    """Return the findings, those that stop a deployment first."""
    return sorted(report.findings, key=lambda each: _ORDER.index(tone(each)))


def summary(report: Report, rules: int) -> str:
    """Return whether the findings stop `up`; `rules` is how many rules judged."""
    verdict = "They stop `up`" if report.stops else "Nothing stops `up`"
    return f"{verdict}: {in_words(len(report.findings), 'finding')} of {in_words(rules, 'rule')}"


def unjudged(report: Report) -> Iterator[str]:
    """Yield the rules that are broken, or that could not be evaluated."""
    for broken in report.broken:
        yield f"{broken.id}: broken, so the stack counts as unchecked"
    for rule, missing in report.not_evaluated.items():
        yield f"{rule.id}: not evaluated, for want of {', '.join(missing)}"


def state(finding: Finding) -> str:
    """Return the severity, and why the finding does not count where it does not: waived, undecided."""
    if finding.waiver is not None:
        return f"{finding.severity.value}, {finding.waiver}"
    return f"{finding.severity.value}, undecided" if finding.status == "undecided" else finding.severity.value


def tone(finding: Finding) -> Tone:
    """Return how grave the finding is."""
    return "stop" if finding.stops else _TONES[finding.status]


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
    nodes = sum(placed.used_nodes for placed in stack.pools)
    yield "good", f"All workers fit: {in_words(used, 'GPU')} on {in_words(nodes, 'node')}"
