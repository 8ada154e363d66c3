"""What the parts of a result have in common: frozen, checked when made, and their own JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import ConfigDict, GetPydanticSchema
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema

from resource_graph import Unknown, Value

RESULT = ConfigDict(
    alias_generator=to_camel,
    validate_by_alias=True,
    validate_by_name=True,
    allow_inf_nan=False,
    use_attribute_docstrings=True,
    json_schema_serialization_defaults_required=True,
)
"""For `pydantic.dataclasses`: names in Python, camel case in JSON."""
_UNKNOWN = "(known after the update)"


def _said(value: Value) -> Any:
    if isinstance(value, Unknown):
        return _UNKNOWN
    if isinstance(value, Mapping):
        return {key: _said(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_said(item) for item in value]
    return value


_ANY_VALUE = GetPydanticSchema(
    lambda _source, _handler: core_schema.any_schema(
        serialization=core_schema.plain_serializer_function_ser_schema(_said)
    )
)
# At run time pydantic would look for the names inside of `Value` in each module that has a field of it.
if TYPE_CHECKING:
    AnyValue: TypeAlias = Value
else:
    AnyValue = Annotated[Any, _ANY_VALUE]
"""A value of a resource as it is; in JSON with `(known after the update)` for what only that will know."""
