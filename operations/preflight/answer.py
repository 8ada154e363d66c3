"""The questions and their answers."""

from dataclasses import dataclass

from operations.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, put to the account or the cluster."""

    question: str
    verdict: Verdict
    found: str
    fix: str = ""
    """The setting or command that helps."""


def good(question: str, found: str) -> Answer:
    """All is well."""
    return Answer(question, Verdict.GOOD, found)


def wrong(question: str, found: str, fix: str) -> Answer:
    """`up` would not do what was meant."""
    return Answer(question, Verdict.WRONG, found, fix)


def unknown(question: str, found: str) -> Answer:
    """Nobody says."""
    return Answer(question, Verdict.UNKNOWN, found)
