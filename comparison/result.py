"""What the parts of a recording and of a result share: frozen, checked when made, and their own JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import ConfigDict, GetPydanticSchema, JsonValue
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


def to_json(value: Value) -> Json:
    """Return the value with `{"$unknown": true}` for an unknown one."""
    if isinstance(value, Unknown):
        return {_MARK: True}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(item) for item in value]
    return value


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


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class _Form:
    urn: str
    type: str
    name: str
    inputs: RecordedValues
    custom: bool
    parent: str | None
    provider: str | None
    dependencies: tuple[str, ...]
    property_dependencies: Mapping[str, tuple[str, ...]]
    protect: bool | None
    retain_on_delete: bool | None
    custom_timeouts: CustomTimeouts
    delete_before_replace: bool | None
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    secret_paths: tuple[Path, ...] | None


def _form(resource: Resource) -> _Form:
    paths = resource.secret_paths
    values: dict[str, Any] = {name: getattr(resource, name) for name in _Form.__dataclass_fields__} | {
        # A set has another order in every process, and equal recordings have to be equal texts.
        "dependencies": tuple(sorted(resource.dependencies)),
        "property_dependencies": {
            key: tuple(sorted(urns)) for key, urns in sorted(resource.property_dependencies.items())
        },
        "secret_paths": None if paths is None else tuple(sorted(paths, key=_order)),
    }
    return _Form(**values)


def _resource(form: _Form) -> Resource:
    values: dict[str, Any] = {name: getattr(form, name) for name in _Form.__dataclass_fields__} | {
        "dependencies": frozenset(form.dependencies),
        "property_dependencies": {key: frozenset(urns) for key, urns in form.property_dependencies.items()},
        "secret_paths": None if form.secret_paths is None else frozenset(form.secret_paths),
    }
    return Resource(**values)


_RESOURCE = GetPydanticSchema(
    lambda _source, handler: core_schema.json_or_python_schema(
        core_schema.no_info_after_validator_function(_resource, handler(_Form)),
        core_schema.is_instance_schema(Resource),
        serialization=core_schema.plain_serializer_function_ser_schema(_form, return_schema=handler(_Form)),
    )
)
if TYPE_CHECKING:
    RecordedResource: TypeAlias = Resource
else:
    RecordedResource = Annotated[Any, _RESOURCE]
"""A resource, and what JSON has of it."""


def _order(path: Path) -> tuple[str, ...]:
    return tuple(f"{type(step).__name__} {step}" for step in path)
