"""The results of all checks, for a person or a pipeline."""

from collections import Counter
from collections.abc import Iterator

from pydantic import Field, computed_field

from operations.document import Document, Verdict
from operations.smoke.checks import Result


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

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Return a row of the table for each check."""
        for result in self.results:
            seconds = "" if result.seconds is None else f"{result.seconds:.2f}"
            yield result.verdict.words, result.asked, seconds, result.found

    def fixes(self) -> Iterator[str]:
        """Return what to do about each check that failed."""
        return (f"fix {result.asked}: {result.fix}" for result in self.results if result.fix)

    def summary(self) -> str:
        """Return the answer in one line."""
        number = Counter(result.verdict for result in self.results)
        counts = ", ".join(f"{number[each]} {each.words}" for each in Verdict if number[each])
        answers = "answers, from a mock engine" if self.is_mock else "answers"
        said = "does not answer as it should" if self.has_failed else answers
        return f"{self.target}: {said}: {counts} of {len(self.results)} checks in {self.seconds:.1f} s"
