"""What a person reads in a preview."""

import re
from collections.abc import Iterable

from rules.model import Finding, NotEvaluated, Rule

_ADDRESS = re.compile(r"https://[^\s,;)]+")
_ISSUE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


def source_url(rule: Rule) -> str | None:
    """The first address in the rule's source, or that of the first issue it names; None where it has none."""
    if (address := _ADDRESS.search(rule.source)) is not None:
        return address.group().rstrip(".")
    if (issue := _ISSUE.search(rule.source)) is not None:
        # Leads to a pull request of that number too.
        return f"https://github.com/{issue[1]}/issues/{issue[2]}"
    return None


def failed_text(finding: Finding) -> str:
    """What was found; the host writes the reason, which is the policy's description, above it."""
    observation = finding.observation
    what = f"{observation.subject} {observation.message}."
    return f"{what}\nFix: {finding.rule.fix}\nSource: {finding.rule.source}"


def waived_text(finding: Finding) -> str:
    """What was found, and until when it is accepted."""
    observation = finding.observation
    return f"{finding.rule.id} ({finding.waiver}): {observation.subject} {observation.message}."


def undecided_texts(findings: Iterable[Finding]) -> Iterable[tuple[str, str]]:
    """URN and text, one for each resource and reason: one unknown value leaves many rules undecided."""
    grouped: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        grouped.setdefault((finding.urn, finding.observation.message), []).append(finding)
    for (urn, reason), undecided in grouped.items():
        subjects = ", ".join(dict.fromkeys(finding.observation.subject for finding in undecided))
        yield urn, f"{subjects}: {reason}.\nUndecided: {_ids(finding.rule for finding in undecided)}"


def not_evaluated_text(not_evaluated: Iterable[NotEvaluated]) -> str:
    """Which rules the pack leaves out, and who judges them."""
    rules = list(not_evaluated)
    missing = sorted({aspect.value for item in rules for aspect in item.missing})
    return (
        f"The engine does not tell a policy pack {' or '.join(missing)}; `dynamo-stack check` judges "
        f"{_ids(item.rule for item in rules)}."
    )


def _ids(rules: Iterable[Rule]) -> str:
    return ", ".join(dict.fromkeys(rule.id for rule in rules))
