"""What a reader is told of the rules of a comparison: those of the catalogue, and what refuses an update."""

import datetime as dt
from collections.abc import Iterable, Sequence

from cli.sarif.log import DescribedRule
from cli.sarif.quoted_text import harmless
from comparison.markdown.quoting import code_span
from comparison.recording import RecordedFinding
from resource_graph.printable import one_line
from rules.catalogue import rules_on
from rules.model import Severity

UPDATE_REFUSED = DescribedRule(
    id="update-refused",
    title="The update would end before it changes anything",
    severity=Severity.MANDATORY,
    reason="What runs cannot become this stack, so `pulumi up` says why and ends.",
    fix="Type the old value again, or follow the steps that the message names.",
    source="docs/updates.md; docs/change-what-is-fixed.md",
)
API_SERVER_REFUSES = DescribedRule(
    id="api-server-refuses",
    title="The API server refuses the update of an object",
    severity=Severity.MANDATORY,
    reason=(
        "Pulumi sends the field as an update, and the API server or a webhook lets nobody change it: `up` "
        "ends half way."
    ),
    fix="Leave the field as it is, or delete the object first where nothing is lost with it.",
    source="docs/pull-requests.md",
)
ENGINE_REFUSES = DescribedRule(
    id="engine-refuses",
    title="The engine refuses to delete or replace what is protected",
    severity=Severity.MANDATORY,
    reason="A protected resource holds what cannot be made again; `up` ends before it is touched.",
    fix="Leave it as it is. Without protection (`lifecycle: disposable`) its data goes with it.",
    source="pulumi/pulumi pkg/resource/deploy/step.go; docs/settings.md",
)
_OWN = {each.id: each for each in (UPDATE_REFUSED, API_SERVER_REFUSES, ENGINE_REFUSES)}
_LONGEST = 200
"""Characters of an id; GitHub takes 255."""


def rule_id(rule: str) -> str:
    """Return the id of a rule as the log has it: a side's own code may call it anything."""
    return one_line(harmless(rule), _LONGEST) or "unnamed"


def severity_of(finding: RecordedFinding) -> Severity:
    """Return how severe the side that found it takes it."""
    return Severity(finding.severity)


def described(ids: Iterable[str], findings: Sequence[RecordedFinding]) -> list[DescribedRule]:
    """Return what is told of these rules, each once.

    Args:
        ids: as the log has them.
        findings: of the side whose code may know rules that this release does not.

    """
    # What a reader is told of a rule is the same on every day.
    known = {each.id: each for each in rules_on(dt.date.min)}
    found = {rule_id(each.rule): each for each in findings}
    return [
        _OWN.get(rule) or (DescribedRule.of(known[rule]) if rule in known else _foreign(rule, found[rule]))
        for rule in dict.fromkeys(ids)
    ]


def _foreign(rule: str, finding: RecordedFinding) -> DescribedRule:
    return DescribedRule(
        id=rule,
        title=rule,
        severity=severity_of(finding),
        reason="The newer side's own code has this rule, and the release that compares has none of its name.",
        # It is read as Markdown, too.
        fix=code_span(harmless(finding.fix)),
        source="docs/rules.md of the newer side",
    )
