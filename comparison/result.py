"""What the parts of a recording and of a result share: frozen, checked when made, and their own JSON."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import ConfigDict, GetPydanticSchema, JsonValue, PlainSerializer
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass
from pydantic_core import core_schema

from comparison.nested_values import with_leaves
from resource_graph import UNKNOWN, CustomTimeouts, Resource, Unknown, Value
from resource_graph.values import Path

RESULT = ConfigDict(
    alias_generator=to_camel,
    validate_by_alias=True,
    validate_by_name=True,
    allow_inf_nan=False,
    use_attribute_docstrings=True,
    json_schema_serialization_defaults_required=True,
)
"""For `pydantic.dataclasses`: names in Python, camel case in JSON."""
KNOWN_LATER = "(known after the update)"


def _said(value: Value) -> object:
    return with_leaves(value, lambda each: KNOWN_LATER if isinstance(each, Unknown) else each)


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
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
_MARK = "$unknown"


def to_json(value: Value) -> object:
    """Return the value with `{"$unknown": true}` for an unknown one."""
    return with_leaves(value, lambda each: {_MARK: True} if isinstance(each, Unknown) else each)


def from_json(value: Json) -> Value:
    """Return the value that `to_json` has written."""
    if isinstance(value, dict):
        if value == {_MARK: True}:
            return UNKNOWN
        return {key: from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    return value


def _from_json(values: dict[str, Any]) -> Mapping[str, Value]:
    found = from_json(values)
    if not isinstance(found, dict):
        raise ValueError("unknown as a whole")  # noqa: TRY004 - pydantic tells of a ValueError alone
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


def _sorted_paths(paths: frozenset[Path] | None) -> list[Path] | None:
    if paths is None:
        return None
    return sorted(paths, key=lambda path: [f"{type(step)} {step}" for step in path])


# A set has another order in every process, and equal recordings have to be equal texts.
_Names = Annotated[frozenset[str], PlainSerializer(sorted)]


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class _Form:
    urn: str
    type: str
    name: str
    inputs: RecordedValues
    custom: bool
    parent: str | None
    provider: str | None
    dependencies: _Names
    property_dependencies: Annotated[
        Mapping[str, _Names],
        PlainSerializer(lambda found: {key: sorted(urns) for key, urns in sorted(found.items())}),
    ]
    protect: bool | None
    retain_on_delete: bool | None
    custom_timeouts: CustomTimeouts
    delete_before_replace: bool | None
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    secret_paths: Annotated[frozenset[Path] | None, PlainSerializer(_sorted_paths)]


def _copied(source: Resource | _Form, kind: Callable[..., Any]) -> Any:
    return kind(**{name: getattr(source, name) for name in _Form.__dataclass_fields__})


_RESOURCE = GetPydanticSchema(
    lambda _source, handler: core_schema.json_or_python_schema(
        core_schema.no_info_after_validator_function(lambda form: _copied(form, Resource), handler(_Form)),
        core_schema.is_instance_schema(Resource),
        serialization=core_schema.plain_serializer_function_ser_schema(
            lambda resource: _copied(resource, _Form), return_schema=handler(_Form)
        ),
    )
)
if TYPE_CHECKING:
    RecordedResource: TypeAlias = Resource
else:
    RecordedResource = Annotated[Any, _RESOURCE]
"""A resource, and what JSON has of it."""
