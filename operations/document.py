"""What results that a command prints have in common: their JSON, and a check with how it ended."""

from enum import Enum
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Document(BaseModel):
    """A mapping of a document; its keys are in camel case, and each of them is always there."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        json_schema_serialization_defaults_required=True,
    )

    def as_json(self) -> dict[str, Any]:
        """Return the mapping as JSON types."""
        return self.model_dump(mode="json", by_alias=True)


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


class CheckResult(Document):
    """One question to a deployment, a cluster or an account, and its answer."""

    question: str = ""
    verdict: Verdict
    """How it ended."""
    found: str
    """What was answered, or is wrong with the answer."""
    fix: str = ""
    """What helps; empty where nothing is wrong, or the answer says it all."""


def good(found: str, question: str = "") -> CheckResult:
    """All is well."""
    return CheckResult(question=question, verdict=Verdict.GOOD, found=found)


def wrong(found: str, fix: str = "", question: str = "") -> CheckResult:
    """What was meant to work does not."""
    return CheckResult(question=question, verdict=Verdict.WRONG, found=found, fix=fix)


def unknown(found: str, question: str = "") -> CheckResult:
    """Nobody says."""
    return CheckResult(question=question, verdict=Verdict.UNKNOWN, found=found)
