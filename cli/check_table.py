"""What `dynamo-stack check` found, on one screen."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import PurePath

from rich.console import Console

from cli.check_input import WatchedGraph, count_kinds, kinds_read
from cli.output import first_of, print_line, print_table
from resource_graph import Origin
from resource_graph.printable import one_line
from resource_graph.values import Path
from rules.model import Finding, Report
from rules.reading.pools import read_pools
from rules.rule import Rule, Severity

_RANKS = {
    ("failed", Severity.MANDATORY): 0,
    ("waived", Severity.MANDATORY): 1,
    ("waived", Severity.ADVISORY): 2,
}
_NAMED_PLACES = 4
_NAMED_SUBJECTS = 12
_NAMED_KINDS = 40
_LONGEST_NAME = 120
_LONGEST_ERROR = 800
_WIDEST_PLACE = 44
"""The column of findings is longer, and needs the room more."""


def print_report(
    console: Console,
    report: Report,
    graph: WatchedGraph,
    subject: str,
    rules: int,
    *,
    place_of: Callable[[str], str | None],
) -> None:
    """Print what stops first, then what could not be told, then advice in a line each.

    Args:
        console: where to.
        report: what the rules found.
        graph: what they looked at.
        subject: its name.
        rules: how many judged.
        place_of: returns file and line of a setting; None where no stack's file is judged.

    """
    if not graph.is_understood():
        # A person who reads no further must not take an empty list for a pass.
        unknown = _kinds(graph.unasked_kinds()) or "anything of it"
        print_line(console, f"{subject}: NOT JUDGED: no rule and no schema knows {unknown}\n")
    decided = sorted(
        (finding for finding in report.findings if finding.status != "undecided" and not _is_advice(finding)),
        key=lambda finding: _RANKS[finding.status, finding.severity],
    )
    _print_decided(console, report, decided, place_of)
    _print_reasons(console, [finding.rule for finding in decided if finding.status == "failed"])
    _print_undecided(console, report, graph)
    _print_advice(console, [finding for finding in report.findings if _is_advice(finding)], place_of)
    print_line(console, f"{subject}: {_summary(report, graph, rules)}")
    print_line(console, _read(graph))


def _print_decided(
    console: Console, report: Report, decided: Sequence[Finding], place_of: Callable[[str], str | None]
) -> None:
    if not decided and not report.broken:
        return
    rows = [
        (broken.rule.id, "broken", "", f"the rule is broken: {one_line(repr(broken.error), _LONGEST_ERROR)}")
        for broken in report.broken
    ]
    for findings in _shared(decided, place_of):
        first = findings[0]
        result = f"{first.status} ({first.severity.value})"
        rows.append((first.rule.id, result, _places(findings), _what(first, place_of)))
    print_table(console, ("RULE", "RESULT", "WHERE", "WHAT"), rows, {"WHERE": _WIDEST_PLACE})
    print_line(console)


def _print_reasons(console: Console, failed: Sequence[Rule]) -> None:
    if not failed:
        return
    for rule in dict.fromkeys(failed):
        print_line(console, f"{rule.id}: {rule.reason}\n  fix: {rule.fix}\n  source: {rule.source}")
    print_line(console)


def _print_undecided(console: Console, report: Report, graph: WatchedGraph) -> None:
    undecided = [finding for finding in report.findings if finding.status == "undecided"]
    if not undecided:
        return
    rows: list[tuple[str, str, str]] = []
    for findings in _grouped(undecided, lambda finding: finding.observation.message):
        ids = list(dict.fromkeys(finding.rule.id for finding in findings))
        count = f"{len(ids)} rule{'s' * (len(ids) > 1)}"
        rows.append((count, _places(findings), f"{findings[0].observation.message}\n{', '.join(ids)}"))
    print_table(console, ("UNDECIDED", "WHERE", "BECAUSE"), rows, {"WHERE": _WIDEST_PLACE})
    print_line(console)
    if not read_pools(graph):
        print_line(console, "No pool is known here; name what it runs on: --pool p6e-gb200.36xlarge=2\n")


def _print_advice(console: Console, advice: Sequence[Finding], place_of: Callable[[str], str | None]) -> None:
    if not advice:
        return
    for findings in _shared(advice, place_of):
        where = ", ".join(_places(findings).splitlines())
        print_line(console, f"advice: {findings[0].rule.id}: {where}: {_what(findings[0], place_of)}")
    print_line(console, "Reasons, fixes and sources of advice: docs/rules.md, or --json.\n")


def _is_advice(finding: Finding) -> bool:
    return finding.status == "failed" and finding.severity is Severity.ADVISORY


def _shared(
    findings: Iterable[Finding], place_of: Callable[[str], str | None]
) -> Iterable[Sequence[Finding]]:
    """A finding that prefill and decode share is printed once."""
    return _grouped(findings, lambda each: (each.rule.id, each.severity, each.urn, _what(each, place_of)))


def _summary(report: Report, graph: WatchedGraph, rules: int) -> str:
    statuses = [finding.status for finding in report.findings]
    mandatory = sum(finding.stops for finding in report.findings)
    counts = (
        f"{mandatory} mandatory and {statuses.count('failed') - mandatory} advisory failed, "
        f"{statuses.count('waived')} waived, {statuses.count('undecided')} undecided, "
        f"{len(report.broken)} broken, {len(report.not_evaluated)} not evaluated, by {rules} rules"
    )
    unknown = graph.unasked_kinds()
    besides = f"; not judged, for no rule and no schema knows it: {_kinds(unknown)}" if unknown else ""
    if report.stops:
        return f"STOP: {counts}{besides}"
    return f"{'passed' if graph.is_understood() else 'NOT JUDGED'}: {counts}{besides}"


def _read(graph: WatchedGraph) -> str:
    everything = kinds_read(graph)
    unjudged = count_kinds([resource for resource in graph.unasked() if resource.kind is None])
    read = f"read: {_kinds(everything) or 'nothing'}"
    if not graph.is_understood():
        return f"{read}; nothing of it that runs was judged"
    return f"{read}\nno rule is about: {_kinds(unjudged)}" if unjudged else read


def _kinds(counted: dict[str, int]) -> str:
    named = [f"{count} {one_line(kind, _LONGEST_NAME)}" for kind, count in counted.items()]
    return ", ".join(first_of(named, _NAMED_KINDS))


def _what(finding: Finding, place_of: Callable[[str], str | None]) -> str:
    message = finding.message_with(place_of)
    return message if finding.waiver is None else f"{message}\n{finding.waiver}"


def _places(findings: Sequence[Finding]) -> str:
    places: list[str] = []
    for of_one in _grouped(findings, lambda finding: finding.urn):
        resource = of_one[0].observation.resource
        subjects = dict.fromkeys(finding.observation.subject for finding in of_one)
        others = [subject for subject in subjects if subject != resource.name]
        parts = ", ".join(first_of(others, _NAMED_SUBJECTS))
        path = of_one[0].observation.path
        place = f"\n{_file_and_line(resource.origin, path)}" if resource.origin is not None else ""
        name = one_line(resource.name, _LONGEST_NAME)
        places.append(f"{name} / {parts}{place}" if parts else f"{name}{place}")
    return "\n".join(first_of(places, _NAMED_PLACES))


def _file_and_line(origin: Origin, path: Path) -> str:
    # The folder stands in the command line; here it would push the findings aside.
    return f"{PurePath(origin.file).name}:{origin.line_of(path)} (document {origin.document})"


def _grouped(findings: Iterable[Finding], key: Callable[[Finding], Hashable]) -> Iterable[Sequence[Finding]]:
    groups: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(key(finding), []).append(finding)
    return groups.values()
