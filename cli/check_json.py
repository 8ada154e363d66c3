"""All that `dynamo-stack check` found, as data."""

from collections.abc import Sequence
from typing import Any

from cli.check_coverage import WatchedGraph, count_kinds, kinds_read
from rules.model import Finding, Report, Rule


def report_data(report: Report, graph: WatchedGraph, subject: str, rules: Sequence[Rule]) -> dict[str, Any]:
    """The report for a program to read; nothing is grouped or left out."""
    return {
        "subject": subject,
        "stops": report.stops,
        "findings": [_finding(finding) for finding in report.findings],
        "broken": [{"rule": broken.rule.id, "error": repr(broken.error)} for broken in report.broken],
        "notEvaluated": [
            {"rule": item.rule.id, "missing": sorted(aspect.value for aspect in item.missing)}
            for item in report.not_evaluated
        ],
        "rules": [rule.id for rule in rules],
        "read": kinds_read(graph),
        "understood": graph.is_understood(),
        "notJudged": count_kinds(graph.unasked()),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    observation = finding.observation
    origin = observation.resource.origin
    return {
        "rule": finding.rule.id,
        "severity": finding.rule.severity.value,
        "status": finding.status,
        "waiver": _waiver(finding),
        "urn": finding.urn,
        "resource": observation.resource.name,
        "subject": observation.subject,
        "message": observation.message,
        "file": origin.file if origin else None,
        "document": origin.document if origin else None,
        "line": origin.line_of(observation.path) if origin else None,
        "field": list(observation.path) or None,
        "reason": finding.rule.reason,
        "fix": finding.rule.fix,
        "source": finding.rule.source,
    }


def _waiver(finding: Finding) -> dict[str, str] | None:
    waiver = finding.waiver
    return None if waiver is None else {"reason": waiver.reason, "expires": waiver.expires.isoformat()}
