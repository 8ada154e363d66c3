"""What one check found, and the report of all of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from pydantic import Field, computed_field

from operations.document import Document, Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict of one check with its reason."""

    verdict: Verdict
    found: str
    fix: str = ""
    """What to type, set or read next; empty where `found` says it all."""
    needs_model: bool = False
    """Wrong for want of what only a real model can say: a call of a tool, or reasoning."""
    is_final: bool = False
    """Waiting does not help."""


class WrongAnswer(Exception):  # noqa: N818 - a verdict, not a fault of the program
    """No answer, or one that cannot be judged further."""

    def __init__(self, judgement: Judgement) -> None:
        super().__init__(judgement.found)
        self.judgement = judgement


def good(found: str) -> Judgement:
    """As a client needs it."""
    return Judgement(Verdict.GOOD, found)


def wrong(found: str, fix: str = "", *, needs_model: bool = False, is_final: bool = False) -> Judgement:
    """Not as a client needs it."""
    return Judgement(Verdict.WRONG, found, fix, needs_model, is_final)


class Result(Document):
    """One thing that was asked, and how it ended."""

    name: str
    asked: str
    seconds: float | None = None
    """Null where nothing was sent."""
    verdict: Verdict
    """How it ended."""
    found: str
    """What was answered, or is wrong with the answer."""
    fix: str
    """What helps; empty where nothing is wrong, or the answer says it all."""

    @classmethod
    def of(cls, name: str, asked: str, judgement: Judgement, seconds: float | None = None) -> Self:
        """Return the result of a check that took so many seconds."""
        return cls(
            name=name,
            asked=asked,
            seconds=None if seconds is None else round(seconds, 3),
            verdict=judgement.verdict,
            found=judgement.found,
            fix=judgement.fix,
        )


class SmokeReport(Document):
    """What a running deployment answers."""

    target: str = Field(exclude=True)
    """As in "stack dev", or the URL."""
    stack: str | None
    """Null where an address was asked."""
    url: str | None
    """Null where a stack was asked."""
    model: str
    is_mock: bool | None = Field(serialization_alias="mockEngine")
    """Whether a mock engine serves; null where nobody can tell."""
    seconds: float
    results: tuple[Result, ...] = Field(serialization_alias="checks")

    @computed_field(alias="failed")
    @property
    def has_failed(self) -> bool:
        """Whether anything is wrong, or was not asked: a question that nobody asked is no good answer."""
        return any(each.verdict in {Verdict.WRONG, Verdict.NOT_RUN} for each in self.results)

    @property
    def is_wrong(self) -> bool:
        """Whether an answer is wrong."""
        return any(each.verdict is Verdict.WRONG for each in self.results)

    @property
    def refusal(self) -> str:
        """Why this account may not ask, or may ask no more; empty where it may."""
        # Of workers it only means that nobody lists them.
        unknown = [each for each in self.results if each.verdict is Verdict.UNKNOWN]
        return next((each.found for each in unknown if each.name != "workers"), "")

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Return a row of the table for each check."""
        for result in self.results:
            seconds = "" if result.seconds is None else f"{result.seconds:.2f}"
            yield result.verdict.words, result.asked, seconds, result.found

    def summary(self) -> str:
        """Return the answer in one line."""
        number = Counter(result.verdict for result in self.results)
        counts = ", ".join(f"{number[each]} {each.words}" for each in Verdict if number[each])
        answers = "answers, from a mock engine" if self.is_mock else "answers"
        said = "does not answer as it should" if self.has_failed else answers
        return f"{self.target}: {said}: {counts} of {len(self.results)} checks in {self.seconds:.1f} s"
