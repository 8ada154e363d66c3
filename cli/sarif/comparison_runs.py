"""The runs of `diff`: what each stack's newer side is found wrong in, and what the update is refused for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cli.sarif.compared_rules import (
    API_SERVER_REFUSES,
    ENGINE_REFUSES,
    UPDATE_REFUSED,
    described,
    rule_id,
    severity_of,
)
from cli.sarif.log import Baseline, Notification, Result, Run, Suppression
from cli.sarif.places import Place
from cli.sarif.quoted_text import harmless
from comparison.changes import Effect, Operation, ResourceChange
from comparison.field_path import dotted
from comparison.recording import RecordedFinding, RecordedLines, StackRecording
from comparison.stack_comparison import Comparison, StackComparison, Standing, UncomparedStack
from comparison.verdict_lines import verdict_line
from resource_graph.printable import one_line

_MOST_FIELDS = 6


def comparison_runs(comparison: Comparison, uri_of: Callable[[str], str]) -> Iterator[Run]:
    """Yield a run for each stack.

    A finding that is fixed is in none of them. SARIF has the word "absent" for it, but `baselineState` is not
    among what GitHub says that it reads, so that it would open an alert for what is no longer wrong.

    Args:
        comparison: of both sides.
        uri_of: path of a stack's file from the root of the git checkout, percent-encoded.

    """
    for stack in comparison.stacks:
        older, newer = (side.stacks.get(stack.name) for side in (comparison.base, comparison.head))
        head = newer if isinstance(newer, StackRecording) else None
        base = older if isinstance(older, StackRecording) else None
        lines = head.lines if head is not None and head.lines is not None else RecordedLines(settings=1)
        yield _run(stack, _Sides(base, head, uri_of(stack.name), lines))


@dataclass(frozen=True, slots=True)
class _Sides:
    """One stack of both sides, and where things stand in its file."""

    base: StackRecording | None
    head: StackRecording | None
    uri: str
    lines: RecordedLines

    def place(self, line: int | None = None) -> Place:
        """Return the place of a line, or of the settings where nobody has written one down."""
        return Place(self.uri, line or self.lines.settings)


def _run(stack: StackComparison | UncomparedStack, sides: _Sides) -> Run:
    findings = sides.head.findings if sides.head is not None else ()
    defective = [each for each in findings if each.is_of_a_defective_rule]
    results = list(_results(stack, sides))
    rules = [*(each.rule for each in results), *(rule_id(each.rule) for each in defective)]
    return Run(
        command="diff",
        category=f"diff/{one_line(stack.name)}",
        rules=described(rules, findings),
        results=results,
        notifications=(
            *_unread(stack),
            *(_defect(each) for each in defective),
        ),
        is_complete=isinstance(stack, StackComparison) and not defective,
        whole="dynamo-stack diff --format json",
    )


def _defect(finding: RecordedFinding) -> Notification:
    rule = rule_id(finding.rule)
    return Notification("error", f"the rule {rule} {harmless(finding.message)}", rule)


def _unread(stack: StackComparison | UncomparedStack) -> Iterator[Notification]:
    if isinstance(stack, UncomparedStack):
        for side, reason in (("older", stack.base_reason), ("newer", stack.head_reason)):
            if reason is not None:
                yield Notification("error", f"the {side} side could not be read: {harmless(reason)}")
    elif stack.standing is Standing.REMOVED:
        yield Notification("note", verdict_line(stack))


def _results(stack: StackComparison | UncomparedStack, sides: _Sides) -> Iterator[Result]:
    if isinstance(stack, UncomparedStack):
        # Without the older side nobody knows what is new; the findings are there all the same.
        for finding in sides.head.findings if sides.head is not None else ():
            yield from _finding(finding, sides, None)
        return
    # Of several that are alike the older ones come first, so that each keeps its fingerprint.
    for finding in stack.findings.still_there:
        yield from _finding(finding, sides, "unchanged")
    for finding in stack.findings.new:
        yield from _finding(finding, sides, "new")
    before = {each.identity for each in sides.base.findings} if sides.base is not None else set()
    for finding in sides.head.findings if sides.head is not None else ():
        if finding.status == "waived":
            yield from _finding(finding, sides, "unchanged" if finding.identity in before else "new")
    for index, text in enumerate(stack.update.refused):
        yield _refused_update(stack.name, text, sides.place(_item(sides.lines.refused, index)))
    for change in stack.resources:
        if change.is_refused:
            yield _refused_change(stack.name, change, sides.place(sides.lines.resources.get(change.urn)))


def _finding(finding: RecordedFinding, sides: _Sides, baseline: Baseline | None) -> Iterator[Result]:
    """Yield the result of a finding; none for what could not be decided, as `check` has none."""
    if finding.status == "undecided" or finding.is_of_a_defective_rule or sides.head is None:
        return
    yield Result(
        rule=rule_id(finding.rule),
        severity=severity_of(finding),
        message=harmless(f"{finding.resource} / {finding.subject}: {finding.message}"),
        place=sides.place(finding.line),
        identity=(sides.head.name, *finding.identity),
        suppressions=(_waiver(finding.rule, sides),) if finding.status == "waived" else (),
        baseline=baseline,
    )


def _waiver(rule: str, sides: _Sides) -> Suppression:
    waivers = sides.head.waivers if sides.head is not None else ()
    # Of several the one that holds longest counts, as where the rules are asked.
    held = max((each for each in waivers if each.rule == rule), key=lambda each: each.expires, default=None)
    said = "waived" if held is None else f"waived until {held.expires}: {held.reason}"
    return Suppression(harmless(said), sides.place(sides.lines.waivers.get(rule)))


def _refused_update(stack: str, text: str, place: Place) -> Result:
    first = text.partition("\n")[0]
    return Result(
        rule=UPDATE_REFUSED.id,
        severity=UPDATE_REFUSED.severity,
        message=harmless(text),
        place=place,
        # File and setting, without the value.
        identity=(stack, UPDATE_REFUSED.id, first.partition(" = ")[0]),
        suppressions=(),
        # It is about this update; the older side makes none.
        baseline="new",
    )


def _refused_change(stack: str, change: ResourceChange, place: Place) -> Result:
    fields = [dotted(each.path) for each in change.fields if each.effect is Effect.REFUSED]
    if fields:
        rule = API_SERVER_REFUSES
        more = f" and {len(fields) - _MOST_FIELDS} more" if len(fields) > _MOST_FIELDS else ""
        said = f"the API server refuses another value of {', '.join(fields[:_MOST_FIELDS])}{more}"
    else:
        rule = ENGINE_REFUSES
        ends = "delete" if change.operation is Operation.DELETE else "replace"
        said = f"it is protected, and the engine refuses to {ends} it"
    return Result(
        rule=rule.id,
        severity=rule.severity,
        message=harmless(" ".join((f"{change.title}: {said}.", *change.reasons))),
        place=place,
        identity=(stack, rule.id, change.urn),
        suppressions=(),
        baseline="new",
    )


def _item(lines: Sequence[int], index: int) -> int | None:
    return lines[index] if index < len(lines) else None
