"""The questions and their answers."""

from collections.abc import Iterator

from pydantic import computed_field

from operations.document import CheckResult, Document, Verdict, unknown


class Unanswered(Exception):  # noqa: N818 - an answer of its own: nobody knows
    """The account or the cluster does not say; the text says why."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code
        """AWS's own word for the reason."""


class Preflight(Document):
    """Whether the account, or the cluster that exists, can give what a stack needs."""

    stack: str
    region: str | None
    """The account's; null where a cluster was asked."""
    context: str | None
    """The cluster's; null where an account was asked."""
    answers: tuple[CheckResult, ...]
    remarks: tuple[str, ...]
    """Why there is no graph yet, as sentences."""

    @computed_field
    @property
    def wrong(self) -> int:
        """Answers with the verdict `wrong`."""
        return sum(answer.verdict is Verdict.WRONG for answer in self.answers)

    @computed_field
    @property
    def unknown(self) -> int:
        """Answers with the verdict `unknown`."""
        return sum(answer.verdict is Verdict.UNKNOWN for answer in self.answers)


def guarded(question: str, asked: Iterator[CheckResult]) -> Iterator[CheckResult]:
    """Yield the answers, about the question where they name none of their own; unknown where nobody says."""
    try:
        for answer in asked:
            yield answer if answer.question else answer.model_copy(update={"question": question})
    except Unanswered as reason:
        yield unknown(str(reason), question)
