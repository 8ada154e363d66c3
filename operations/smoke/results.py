"""What one check found, and the report of all of them."""

from collections import Counter
from collections.abc import Iterator

from pydantic import Field, computed_field

from operations.document import CheckResult, Document, Verdict


class WrongAnswer(Exception):  # noqa: N818 - a verdict, not a fault of the program
    """No answer, or one that cannot be judged further."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.found)
        self.result = result


class SmokeCheck(CheckResult):
    """One thing that was asked of a frontend, and how it ended."""

    name: str
    seconds: float | None = None
    """Null where nothing was sent."""


def named(name: str, question: str, found: CheckResult, seconds: float | None = None) -> SmokeCheck:
    """Return the result of a check that took so many seconds."""
    timed = {"name": name, "question": question, "seconds": None if seconds is None else round(seconds, 3)}
    return SmokeCheck.model_validate({**found.model_dump(), **timed})


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
    results: tuple[SmokeCheck, ...] = Field(serialization_alias="checks")

    @computed_field(alias="failed")
    @property
    def has_failed(self) -> bool:
        """Whether anything is wrong, or was not asked: a question that nobody asked is no good answer."""
        return any(each.verdict in {Verdict.WRONG, Verdict.NOT_RUN} for each in self.results)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Return a row of the table for each check."""
        for result in self.results:
            seconds = "" if result.seconds is None else f"{result.seconds:.2f}"
            yield result.verdict.words, result.question, seconds, result.found

    def summary(self) -> str:
        """Return the answer in one line."""
        number = Counter(result.verdict for result in self.results)
        counts = ", ".join(f"{number[each]} {each.words}" for each in Verdict if number[each])
        answers = "answers, from a mock engine" if self.is_mock else "answers"
        said = "does not answer as it should" if self.has_failed else answers
        return f"{self.target}: {said}: {counts} of {len(self.results)} checks in {self.seconds:.1f} s"
