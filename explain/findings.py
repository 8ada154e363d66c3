"""What the rules said, for the page."""

from explain.page import FindingsPart, PageFinding, Tone
from rules.model import Finding, Report, Severity, Status
from stacks.wording import in_words

_MOST = 200
"""Findings on the page: with all their reasons they stay below half of the page's 400 KB."""
_ORDER: tuple[Tone, ...] = ("stop", "warn", "wait", "good")


def findings_part(report: Report, rules: int) -> FindingsPart:
    """Return the findings, those that stop a deployment first.

    Args:
        report: of all rules.
        rules: how many judged.

    """
    shown = sorted((_shown(each) for each in report.findings), key=lambda each: _ORDER.index(each.tone))
    broken = [f"{each.rule.id}: broken, so the stack counts as unchecked" for each in report.broken]
    missing = [f"{each.rule.id}: not evaluated, for want of {each}" for each in report.not_evaluated]
    return FindingsPart(
        summary=_summary(report, rules),
        findings=tuple(shown[:_MOST]),
        left_out=max(0, len(shown) - _MOST),
        unjudged=(*broken, *missing),
    )


def _summary(report: Report, rules: int) -> str:
    verdict = "They stop `up`" if report.stops else "Nothing stops `up`"
    return f"{verdict}: {in_words(len(report.findings), 'finding')} of {in_words(rules, 'rule')}"


def _shown(finding: Finding) -> PageFinding:
    observation, rule = finding.observation, finding.rule
    return PageFinding(
        rule=rule.id,
        state=_state(finding),
        tone=_tone(finding),
        where=observation.subject,
        message=observation.message,
        reason=rule.reason,
        fix=rule.fix,
        source=rule.source,
    )


def _state(finding: Finding) -> str:
    if finding.waiver is not None:
        return f"{finding.severity.value}, {finding.waiver}"
    if finding.observation.status is Status.UNDECIDED:
        return f"{finding.severity.value}, undecided"
    return finding.severity.value


def _tone(finding: Finding) -> Tone:
    if finding.stops:
        return "stop"
    if finding.waiver is not None:
        return "good"
    if finding.observation.status is Status.UNDECIDED:
        return "wait"
    return "warn" if finding.severity is Severity.ADVISORY else "stop"
