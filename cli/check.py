"""`dynamo-stack check`."""

# ruff: noqa: PLC0415
# Each command imports what it needs when it runs: Pulumi's SDK alone takes longer to load than `list` runs.

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer

from cli.exit_codes import FAILED
from cli.output import make_console, make_table, print_line, print_table
from resource_graph import ResourceGraph
from resource_graph.manifests import read_manifests
from rules.catalogue import rules_on
from rules.model import BrokenRule, Finding, Report, Rule, Status
from rules.run import run_rules

_NAMED_FILES = 3


def check_stack(name: str, *, as_json: bool) -> None:
    """Judge what the program registers for the stack."""
    from cli.project import recorded_stack, resolved_stack

    _check(recorded_stack(resolved_stack(name)), f"stack {name}", as_json=as_json)


def check_files(paths: Sequence[Path], *, as_json: bool) -> None:
    """Judge anybody's manifests."""
    # A rendered folder has dozens of files; each finding names its own.
    subject = ", ".join(map(str, paths)) if len(paths) <= _NAMED_FILES else f"{len(paths)} files"
    _check(read_manifests(paths), subject, as_json=as_json)


def _check(graph: ResourceGraph, subject: str, *, as_json: bool) -> None:
    today = dt.datetime.now(dt.UTC).date()
    rules = rules_on(today)
    report = run_rules(graph, rules, today=today)
    if as_json:
        typer.echo(json.dumps(_as_data(report, graph, subject, rules), indent=2))
    else:
        _print(report, graph, subject, len(rules))
    if report.stops:
        raise typer.Exit(FAILED)


def _print(report: Report, graph: ResourceGraph, subject: str, rules: int) -> None:
    console = make_console()
    if report.findings or report.broken:
        table = make_table("RULE", "RESULT", "WHERE", "WHAT")
        for finding in report.findings:
            table.add_row(
                finding.rule.id,
                f"{finding.status} ({finding.rule.severity.value})",
                _where(finding),
                _message(finding),
            )
        for broken in report.broken:
            table.add_row(broken.rule.id, "broken", "", _broken_text(broken))
        print_table(console, table)
        print_line(console)
    for rule in dict.fromkeys(finding.rule for finding in _failed(report)):
        print_line(console, f"{rule.id}: {rule.reason}\n  fix: {rule.fix}\n  source: {rule.source}\n")
    print_line(console, f"{subject}: {_summary(report, rules)}")
    print_line(console, f"read: {_kinds(graph)}")


def _summary(report: Report, rules: int) -> str:
    failed = _failed(report)
    mandatory = sum(finding.stops for finding in failed)
    undecided = sum(finding.observation.status is Status.UNDECIDED for finding in report.findings)
    waived = sum(finding.waiver is not None for finding in report.findings)
    counts = (
        f"{mandatory} mandatory and {len(failed) - mandatory} advisory failed, {waived} waived, "
        f"{undecided} undecided, {len(report.broken)} broken, by {rules} rules"
    )
    return f"{'STOP' if report.stops else 'passed'}: {counts}"


def _kinds(graph: ResourceGraph) -> str:
    counted = _counted_kinds(graph).items()
    return ", ".join(f"{count} {kind}" for kind, count in counted) or "nothing"


def _counted_kinds(graph: ResourceGraph) -> dict[str, int]:
    kinds = Counter(
        resource.kind or resource.type.rpartition(":")[2]
        for resource in graph
        if resource.custom and not resource.type.startswith("pulumi:")
    )
    return dict(sorted(kinds.items()))


def _as_data(report: Report, graph: ResourceGraph, subject: str, rules: Sequence[Rule]) -> dict[str, object]:
    return {
        "subject": subject,
        "stops": report.stops,
        "findings": [_finding_data(finding) for finding in report.findings],
        "broken": [{"rule": broken.rule.id, "error": _broken_text(broken)} for broken in report.broken],
        "rules": [rule.id for rule in rules],
        "read": _counted_kinds(graph),
    }


def _finding_data(finding: Finding) -> dict[str, object]:
    observation = finding.observation
    origin = observation.resource.origin
    return {
        "rule": finding.rule.id,
        "severity": finding.rule.severity.value,
        "status": finding.status,
        "waiver": _waiver_data(finding),
        "urn": finding.urn,
        "resource": observation.resource.name,
        "subject": observation.subject,
        "message": observation.message,
        "file": origin.file if origin else None,
        "document": origin.document if origin else None,
        "line": origin.line if origin else None,
        "reason": finding.rule.reason,
        "fix": finding.rule.fix,
        "source": finding.rule.source,
    }


def _waiver_data(finding: Finding) -> dict[str, str] | None:
    waiver = finding.waiver
    return None if waiver is None else {"reason": waiver.reason, "expires": waiver.expires.isoformat()}


def _failed(report: Report) -> list[Finding]:
    return [
        finding
        for finding in report.findings
        if finding.observation.status is Status.FAILED and finding.waiver is None
    ]


def _message(finding: Finding) -> str:
    message = finding.observation.message
    return message if finding.waiver is None else f"{message}\n{finding.waiver}"


def _where(finding: Finding) -> str:
    observation = finding.observation
    names = dict.fromkeys((observation.resource.name, observation.subject))
    where = " / ".join(names)
    origin = observation.resource.origin
    return where if origin is None else f"{where}\n{origin.file}:{origin.line} (document {origin.document})"


def _broken_text(broken: BrokenRule) -> str:
    return f"the rule is broken: {broken.error!r}"
