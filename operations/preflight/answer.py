"""The questions and their answers."""

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """How an answer stands."""

    GOOD = "good"
    WRONG = "wrong"
    """`up` would fail, or do what nobody meant."""
    UNKNOWN = "unknown"
    """The account does not say, for example because the credentials may not ask."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, put to the account."""

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
    """The account does not say."""
    return Answer(question, Verdict.UNKNOWN, found)
