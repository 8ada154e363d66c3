"""How everything that a person writes in YAML is read: recipes and stack settings alike."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

PositiveInt = Annotated[int, Field(gt=0)]


class StrictModel(BaseModel):
    """Base of the models at the edge; camelCase in YAML, frozen once read.

    Forbidding unknown keys is what makes a misspelt one an error instead of a default. Strict types keep a
    number from becoming the text that somebody meant to quote.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
    )
