"""The questions and their answers."""

import datetime as dt
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
    """What to type or to ask for."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A capacity reservation or Capacity Block, as EC2 describes it."""

    id: str
    is_block: bool
    """A Capacity Block, which has a window of time."""
    state: str
    """EC2's word: scheduled, active, expired, cancelled, payment-pending …"""
    instance_type: str
    zone: str
    total: int
    available: int
    starts: dt.datetime | None
    ends: dt.datetime | None
    placement_group: str | None = None
    """The cluster placement group in which it was made."""


def good(question: str, found: str) -> Answer:
    """All is well."""
    return Answer(question, Verdict.GOOD, found)


def wrong(question: str, found: str, fix: str) -> Answer:
    """`up` would not do what was meant."""
    return Answer(question, Verdict.WRONG, found, fix)


def unknown(question: str, found: str) -> Answer:
    """The account does not say."""
    return Answer(question, Verdict.UNKNOWN, found)
