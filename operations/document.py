"""What results that a command prints have in common: their JSON, and how a check ended."""

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
