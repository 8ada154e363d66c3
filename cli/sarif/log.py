"""The SARIF log of one report: rules, results with their places, and waivers as suppressions.

It holds what GitHub reads of SARIF 2.1.0:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cli.sarif.places import Place
from resource_graph.printable import printable
from rules.model import Finding, Report, Rule, Severity, Status

MOST_RESULTS = 5_000
"""GitHub shows no more of one run."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.MANDATORY: "error", Severity.ADVISORY: "warning"}
_SECURITY = {Severity.MANDATORY: "error", Severity.ADVISORY: "recommendation"}


@dataclass(frozen=True, slots=True)
class Locations:
    """Where findings stand."""

    of_finding: Callable[[Finding], Place | None]
    """None for a finding that stands in no file, which code scanning cannot show."""
    of_waiver: Callable[[str], Place | None]
    """By the rule that is waived; None where the waiver stands in no file that is judged."""


def sarif_log(
    report: Report,
    rules: Sequence[Rule],
    *,
    category: str,
    version: str,
    locations: Locations,
) -> dict[str, Any]:
    """Return the log of a report.

    Args:
        report: what the rules found; findings that are undecided are no results.
        rules: all that were asked.
        category: tells this run from others of one commit, such as the stack's name.
        version: of this program.
        locations: of findings and of waivers.

    """
    order = {rule.id: index for index, rule in enumerate(rules)}
    results = list(_results(report, order, locations))
    results.sort(key=lambda result: (bool(result.get("suppressions")), result["level"] != "error"))
    shown = results[:MOST_RESULTS]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dynamo-stack check",
                        "semanticVersion": version,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                # Its last part is the run's own id, which nobody needs.
                "automationDetails": {"id": f"dynamo-stack/{category}/"},
                "invocations": [_invocation(report, order, len(results) - len(shown))],
                "columnKind": "unicodeCodePoints",
                "results": shown,
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.reason},
        "help": {
            "text": f"{rule.reason}\nFix: {rule.fix}\nSource: {rule.source}",
            "markdown": f"{rule.reason}\n\n**Fix:** {rule.fix}\n\n**Source:** {rule.source}",
        },
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["dynamo-stack"], "problem.severity": _SECURITY[rule.severity]},
    }


def _results(report: Report, order: Mapping[str, int], locations: Locations) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for finding in report.findings:
        place = locations.of_finding(finding)
        if finding.observation.status is not Status.FAILED or place is None:
            continue
        fingerprint = _fingerprint(finding)
        seen[fingerprint] += 1
        observation = finding.observation
        result: dict[str, Any] = {
            "ruleId": finding.rule.id,
            "ruleIndex": order[finding.rule.id],
            "level": _LEVELS[finding.rule.severity],
            "message": {
                "text": printable(
                    f"{observation.resource.name} / {observation.subject}: {observation.message}"
                )
            },
            "locations": [_location(place)],
            # The one that GitHub matches alerts by. What stands in the line, and the numbers of the message,
            # are not in it: another number of GPUs is the same finding.
            "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:{seen[fingerprint]}"},
        }
        if finding.waiver is not None:
            result["suppressions"] = [_suppression(finding, locations.of_waiver(finding.rule.id))]
        yield result


def _fingerprint(finding: Finding) -> str:
    parts = (finding.rule.id, finding.urn, finding.observation.subject)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _suppression(finding: Finding, place: Place | None) -> dict[str, Any]:
    # A waiver stands in the file that is judged; one that a graph brings along stands elsewhere.
    kind = "external" if place is None else "inSource"
    suppression: dict[str, Any] = {"kind": kind, "status": "accepted", "justification": str(finding.waiver)}
    if place is not None:
        suppression["location"] = _location(place)
    return suppression


def _location(place: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": place.uri},
            "region": {"startLine": place.line},
        }
    }


def _invocation(report: Report, order: Mapping[str, int], left_out: int) -> dict[str, Any]:
    notifications: list[dict[str, Any]] = [
        {
            "level": "error",
            "associatedRule": {"id": broken.rule.id, "index": order[broken.rule.id]},
            "message": {"text": printable(f"the rule {broken.rule.id} is broken: {broken.error!r}")},
        }
        for broken in report.broken
    ]
    if left_out:
        text = f"{left_out} more findings are left out; `dynamo-stack check --json` has them all"
        notifications.append({"level": "warning", "message": {"text": text}})
    return {"executionSuccessful": not report.broken, "toolExecutionNotifications": notifications}
