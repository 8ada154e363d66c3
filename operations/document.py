"""Base of the models of results that a command prints as JSON."""

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
