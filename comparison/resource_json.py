"""A resource in the JSON of a recording: the fields of `Resource` but its origin, and no others."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import GetPydanticSchema
from pydantic.dataclasses import dataclass
from pydantic_core import core_schema

from comparison.result import RESULT
from comparison.value_json import RecordedValues
from resource_graph import CustomTimeouts, Resource
from resource_graph.resource import Path


@dataclass(frozen=True, slots=True, config=RESULT)
class _Timeouts:
    create: float | None
    update: float | None
    delete: float | None


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
    custom_timeouts: _Timeouts
    delete_before_replace: bool | None
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    secret_paths: tuple[Path, ...] | None


def _form(resource: Resource) -> _Form:
    timeouts, paths = resource.custom_timeouts, resource.secret_paths
    values: dict[str, Any] = {name: getattr(resource, name) for name in _Form.__dataclass_fields__} | {
        # A set has another order in every process, and equal recordings have to be equal texts.
        "dependencies": tuple(sorted(resource.dependencies)),
        "property_dependencies": {
            key: tuple(sorted(urns)) for key, urns in sorted(resource.property_dependencies.items())
        },
        "custom_timeouts": _Timeouts(timeouts.create, timeouts.update, timeouts.delete),
        "secret_paths": None if paths is None else tuple(sorted(paths, key=_order)),
    }
    return _Form(**values)


def _resource(form: _Form) -> Resource:
    timeouts = form.custom_timeouts
    values: dict[str, Any] = {name: getattr(form, name) for name in _Form.__dataclass_fields__} | {
        "dependencies": frozenset(form.dependencies),
        "property_dependencies": {key: frozenset(urns) for key, urns in form.property_dependencies.items()},
        "custom_timeouts": CustomTimeouts(timeouts.create, timeouts.update, timeouts.delete),
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
