"""The results of all checks, for a person or a pipeline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from operations.smoke.checks import Result
from operations.verdict import Verdict


@dataclass(frozen=True, slots=True)
class SmokeReport:
    """What was asked of one deployment, and what it said."""

    target: str
    """As in "stack dev", or the URL."""
    stack: str | None
    url: str | None
    model: str
    is_mock: bool | None
    """Whether the pods say that a mock engine serves; None where nobody can tell."""
    seconds: float
    results: Sequence[Result]

    @property
    def has_failed(self) -> bool:
        """Whether anything is wrong, or was not asked: a question that nobody asked is no good answer."""
        return bool(self._of(Verdict.WRONG) or self._of(Verdict.NOT_RUN))

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Return a row of the table for each check."""
        for result in self.results:
            seconds = "" if result.seconds is None else f"{result.seconds:.2f}"
            yield result.finding.verdict.value, result.asked, seconds, result.finding.found

    def fixes(self) -> Iterator[str]:
        """Return what to do about each check that failed."""
        for result in self.results:
            if result.finding.fix:
                yield f"fix {result.asked}: {result.finding.fix}"

    def summary(self) -> str:
        """Return the answer in one line."""
        counts = ", ".join(
            f"{len(found)} {verdict.value}" for verdict in Verdict if (found := self._of(verdict))
        )
        if self.has_failed:
            said = "does not answer as it should"
        else:
            said = "answers, from a mock engine" if self.is_mock else "answers"
        return f"{self.target}: {said}: {counts} of {len(self.results)} checks in {self.seconds:.1f} s"

    def as_json(self) -> dict[str, Any]:
        """Return the report for a program: docs/smoke.md."""
        return {
            "stack": self.stack,
            "url": self.url,
            "model": self.model,
            "mockEngine": self.is_mock,
            "failed": self.has_failed,
            "seconds": round(self.seconds, 3),
            "checks": [
                {
                    "name": result.name,
                    "asked": result.asked,
                    "verdict": result.finding.verdict.name.lower().replace("_", "-"),
                    "seconds": None if result.seconds is None else round(result.seconds, 3),
                    "found": result.finding.found,
                    "fix": result.finding.fix,
                }
                for result in self.results
            ],
        }

    def _of(self, verdict: Verdict) -> list[Result]:
        return [result for result in self.results if result.finding.verdict is verdict]
