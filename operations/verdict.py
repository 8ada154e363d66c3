"""How a check of an account or a deployment ended."""

from enum import Enum


class Verdict(Enum):
    """How a check ended."""

    GOOD = "good"
    WRONG = "wrong"
    """What was to work does not, or would not."""
    MOCK = "mock"
    """The pods say that a mock engine serves, and a mock engine cannot answer this."""
    UNKNOWN = "unknown"
    """The address does not let anybody see it, or the account does not say."""
    NOT_RUN = "not-run"
    """Not asked, because a check on which this one depends has failed."""
    NOT_APPLICABLE = "not-applicable"
    """The deployment has nothing that this check is about."""

    @property
    def words(self) -> str:
        """The verdict as a table has it."""
        return _WORDS.get(self, self.value)


_WORDS = {Verdict.MOCK: "mock engine", Verdict.NOT_RUN: "not run", Verdict.NOT_APPLICABLE: "does not apply"}
