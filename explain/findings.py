"""Which findings of the rules the page shows, and how it marks them."""

from collections.abc import Iterator, Mapping

from explain.verdict import Tone
from rules.model import Finding, Report
from stacks.wording import in_words

_TONES: Mapping[str, Tone] = {"failed": "warn", "undecided": "wait", "waived": "good"}
_ORDER: tuple[Tone, ...] = ("stop", "warn", "wait", "good")


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
        yield f"{broken.rule.id}: broken, so the stack counts as unchecked"
    for missing in report.not_evaluated:
        yield f"{missing.rule.id}: not evaluated, for want of {missing}"


def state(finding: Finding) -> str:
    """Return the severity, and why the finding does not count where it does not: waived, undecided."""
    if finding.waiver is not None:
        return f"{finding.severity.value}, {finding.waiver}"
    return f"{finding.severity.value}, undecided" if finding.status == "undecided" else finding.severity.value


def tone(finding: Finding) -> Tone:
    """Return how grave the finding is."""
    return "stop" if finding.stops else _TONES[finding.status]
