"""A SARIF log: runs of a tool, with rules, results at their places, and waivers as suppressions.

It holds what GitHub reads of SARIF 2.1.0:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal, TypeAlias

from cli.sarif.places import Place
from resource_graph.printable import printable
from rules.model import Rule, Severity

MOST_RESULTS = 5_000
"""GitHub shows no more of one run."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.MANDATORY: "error", Severity.ADVISORY: "warning"}
_SECURITY = {Severity.MANDATORY: "error", Severity.ADVISORY: "recommendation"}

Baseline: TypeAlias = Literal["new", "unchanged"]
"""Whether an earlier run has found the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedRule:
    """What a reader of the log is told of a rule."""

    id: str
    title: str
    severity: Severity
    reason: str
    fix: str
    source: str

    @classmethod
    def of(cls, rule: Rule) -> "DescribedRule":
        """Return what is told of a rule of the catalogue."""
        return cls(
            id=rule.id,
            title=rule.title,
            severity=rule.severity,
            reason=rule.reason,
            fix=rule.fix,
            source=rule.source,
        )


@dataclass(frozen=True, slots=True)
class Suppression:
    """A waiver."""

    justification: str
    place: Place | None
    """None where it stands in no file that is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One thing that is wrong."""

    rule: str
    severity: Severity
    message: str
    place: Place
    identity: tuple[str, ...]
    """What makes it the same in another run; neither its line nor a number of its message."""
    suppressions: tuple[Suppression, ...] | None = None
    """None leaves them out."""
    baseline: Baseline | None = None
    """None in a run that is compared with no other."""


@dataclass(frozen=True, slots=True)
class Notification:
    """What a reader has to know of the run itself."""

    level: Literal["error", "warning", "note"]
    text: str
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a command."""

    command: str
    category: str
    """What tells this run from others of one commit, such as the stack's name."""
    rules: Sequence[DescribedRule]
    """Each that a result or a notification names is among them."""
    results: Sequence[Result]
    notifications: tuple[Notification, ...] = ()
    is_complete: bool
    """Whether it has judged all that it was to judge."""
    whole: str
    """The command that prints all results where the log leaves some out."""


def log_text(runs: Iterable[Run]) -> str:
    """Return the log as JSON."""
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(each) for each in runs]}
    # Of the control characters, JSON itself leaves only DEL as it is.
    return json.dumps(log, indent=1).replace("\x7f", r"\u007f") + "\n"


def _run(run: Run) -> dict[str, Any]:
    order = {rule.id: index for index, rule in enumerate(run.rules)}
    results = sorted(_results(run.results, order), key=_urgency)
    shown = results[:MOST_RESULTS]
    return {
        "tool": {
            "driver": {
                "name": f"dynamo-stack {run.command}",
                "semanticVersion": version("dynamo-stack"),
                "rules": [_rule(rule) for rule in run.rules],
            }
        },
        # Its last part is the run's own id, which nobody needs.
        "automationDetails": {"id": f"dynamo-stack/{run.category}/"},
        "invocations": [_invocation(run, order, len(results) - len(shown))],
        "columnKind": "unicodeCodePoints",
        "results": shown,
    }


def _urgency(result: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    is_waived, is_advisory = bool(result.get("suppressions")), result["level"] != "error"
    return is_waived, is_advisory, result.get("baselineState") == "unchanged"


def _rule(rule: DescribedRule) -> dict[str, Any]:
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


def _results(results: Iterable[Result], order: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for result in results:
        fingerprint = hashlib.sha256("\0".join(result.identity).encode()).hexdigest()[:16]
        seen[fingerprint] += 1
        written: dict[str, Any] = {
            "ruleId": result.rule,
            "ruleIndex": order[result.rule],
            "level": _LEVELS[result.severity],
            "message": {"text": printable(result.message)},
            "locations": [_location(result.place)],
            # The one that GitHub matches alerts by. What stands in the line, and the numbers of the message,
            # are not in it: another number of GPUs is the same finding.
            "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:{seen[fingerprint]}"},
        }
        if result.suppressions is not None:
            written["suppressions"] = [_suppression(each) for each in result.suppressions]
        if result.baseline is not None:
            written["baselineState"] = result.baseline
        yield written


def _suppression(suppression: Suppression) -> dict[str, Any]:
    place = suppression.place
    # A waiver stands in the file that is judged; one that a graph brings along stands elsewhere.
    kind = "external" if place is None else "inSource"
    written: dict[str, Any] = {
        "kind": kind,
        "status": "accepted",
        "justification": printable(suppression.justification),
    }
    if place is not None:
        written["location"] = _location(place)
    return written


def _location(place: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": place.uri},
            "region": {"startLine": place.line},
        }
    }


def _invocation(run: Run, order: Mapping[str, int], left_out: int) -> dict[str, Any]:
    said = [_notification(each, order) for each in run.notifications]
    if left_out:
        text = f"{left_out} more findings are left out; `{run.whole}` has them all"
        said.append(_notification(Notification("warning", text), order))
    return {"executionSuccessful": run.is_complete, "toolExecutionNotifications": said}


def _notification(notification: Notification, order: Mapping[str, int]) -> dict[str, Any]:
    rule = notification.rule
    about = {} if rule is None else {"associatedRule": {"id": rule, "index": order[rule]}}
    return {"level": notification.level, **about, "message": {"text": printable(notification.text)}}
