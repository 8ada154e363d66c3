"""What one check found."""

from dataclasses import dataclass

from operations.document import Verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict of one check with its reason."""

    verdict: Verdict
    found: str
    fix: str = ""
    """What to type, set or read next; empty where the finding says it all."""
    needs_model: bool = False
    """Wrong for want of what only a real model can say: a call of a tool, or reasoning."""
    is_final: bool = False
    """Waiting does not help."""


class WrongAnswer(Exception):  # noqa: N818 - a verdict, not a fault of the program
    """No answer, or one that cannot be judged further."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.found)
        self.finding = finding


def good(found: str) -> Finding:
    """As a client needs it."""
    return Finding(Verdict.GOOD, found)


def wrong(found: str, fix: str = "", *, needs_model: bool = False, is_final: bool = False) -> Finding:
    """Not as a client needs it."""
    return Finding(Verdict.WRONG, found, fix, needs_model, is_final)
