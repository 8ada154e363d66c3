"""Values of resources as JSON, which has no word for one that only the update will know."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import GetPydanticSchema, JsonValue
from pydantic_core import core_schema

from resource_graph import UNKNOWN, Value
from resource_graph.values import Unknown

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_MARK = "$unknown"
_ESCAPE = "$"


def to_json(value: Value) -> Json:
    """Return the value with `{"$unknown": true}` for an unknown one, and `$$` where a key begins with `$`."""
    if isinstance(value, Unknown):
        return {_MARK: True}
    if isinstance(value, Mapping):
        return {_escaped(key): to_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(item) for item in value]
    return value


def from_json(value: Json) -> Value:
    """Return the value that `to_json` has written.

    Raises:
        ValueError: a key begins with one `$`, which `to_json` does not write.

    """
    if isinstance(value, dict):
        if value == {_MARK: True}:
            return UNKNOWN
        return {_plain(key): from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    return value


def _from_json(values: dict[str, Any]) -> Mapping[str, Value]:
    found = from_json(values)
    if not isinstance(found, dict):
        # Not of a wrong type in this program: the text that was read is wrong.
        raise ValueError("unknown as a whole")  # noqa: TRY004
    return found


_VALUES = GetPydanticSchema(
    lambda _source, handler: core_schema.json_or_python_schema(
        core_schema.no_info_after_validator_function(_from_json, handler(dict[str, JsonValue])),
        core_schema.any_schema(),
        serialization=core_schema.plain_serializer_function_ser_schema(to_json),
    )
)
# At run time pydantic would look for the names inside of `Value` in each module that has a field of it.
if TYPE_CHECKING:
    RecordedValues: TypeAlias = Mapping[str, Value]
else:
    RecordedValues = Annotated[Any, _VALUES]
"""Values by name, as Python has them and as JSON has them."""


def _escaped(key: str) -> str:
    return f"{_ESCAPE}{key}" if key.startswith(_ESCAPE) else key


def _plain(key: str) -> str:
    if not key.startswith(_ESCAPE):
        return key
    if not key.startswith(2 * _ESCAPE):
        raise ValueError(f"the key {key!r} begins with one {_ESCAPE}")
    return key.removeprefix(_ESCAPE)
