"""What every JSON object of a recording has in common."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Form(BaseModel):
    """A JSON object with these keys in camel case, all of them and no others.

    A key with a default came later: it is left out where it has that value, and older code reads the rest.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        populate_by_name=True,
        allow_inf_nan=False,
    )
