"""Which of the findings are causes, and which only follow from another."""

from collections.abc import Iterable

from operations.doctor.finding import Finding, Needs


def split(findings: Iterable[Finding], needs: Needs) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return causes and symptoms, each from the ground up.

    A symptom is about a part that needs another one, directly or not, about which there is a finding.
    """
    ordered = sorted(findings, key=lambda each: (each.stage, each.about))
    wrong = {each.about for each in ordered}
    causes = tuple(each for each in ordered if not (_below(each.about, needs) & wrong))
    return causes, tuple(each for each in ordered if each not in causes)


def _below(part: str, needs: Needs) -> set[str]:
    """All that a part needs, without itself."""
    found: set[str] = set()
    ahead = [part]
    while ahead:
        ahead += (new := needs.get(ahead.pop(), frozenset()) - found)
        found |= new
    return found - {part}
