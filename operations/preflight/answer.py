"""The questions and their answers."""

from collections.abc import Callable, Iterator

from pydantic import computed_field

from operations.document import Document, Verdict


class Unanswered(Exception):  # noqa: N818 - an answer of its own: nobody knows
    """The account or the cluster does not say; the text says why."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code
        """AWS's own word for the reason."""


class Answer(Document):
    """One question to the account or the cluster."""

    question: str
    verdict: Verdict
    """`good`; `wrong`: `up` would fail; `unknown`: nobody says."""
    found: str
    fix: str = ""
    """What helps; empty where nothing is wrong."""


class Preflight(Document):
    """Whether the account, or the cluster that exists, can give what a stack needs."""

    stack: str
    region: str | None
    """The account's; null where a cluster was asked."""
    context: str | None
    """The cluster's; null where an account was asked."""
    answers: tuple[Answer, ...]
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


def guarded(
    question: str, check: Callable[..., Answer | Iterator[Answer]], *asked: object
) -> Iterator[Answer]:
    """Yield the answers of a check; unknown where nobody says."""
    try:
        found = check(*asked)
        yield from [found] if isinstance(found, Answer) else found
    except Unanswered as reason:
        yield unknown(question, str(reason))


def good(question: str, found: str) -> Answer:
    """Return the answer that nothing keeps `up` from what was asked about."""
    return Answer(question=question, verdict=Verdict.GOOD, found=found)


def wrong(question: str, found: str, fix: str) -> Answer:
    """Return the answer that `up` would not do what was meant, and what mends it."""
    return Answer(question=question, verdict=Verdict.WRONG, found=found, fix=fix)


def unknown(question: str, found: str) -> Answer:
    """Return the answer that nobody says; `found` says why."""
    return Answer(question=question, verdict=Verdict.UNKNOWN, found=found)
