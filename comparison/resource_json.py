"""A resource in the JSON of a recording."""

from typing import cast

from pydantic import JsonValue

from comparison.json_form import Form
from comparison.value_json import Json, from_json, to_json
from resource_graph import CustomTimeouts, Resource
from resource_graph.resource import Path


class _TimeoutsForm(Form):
    create: float | None
    update: float | None
    delete: float | None


class ResourceForm(Form):
    """One resource."""

    urn: str
    type: str
    name: str
    inputs: dict[str, JsonValue]
    custom: bool
    parent: str | None
    provider: str | None
    dependencies: tuple[str, ...]
    property_dependencies: dict[str, tuple[str, ...]]
    protect: bool | None
    retain_on_delete: bool | None
    custom_timeouts: _TimeoutsForm
    delete_before_replace: bool | None
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    secret_paths: tuple[tuple[str | int, ...], ...] | None


def resource_form(resource: Resource) -> ResourceForm:
    """Return the resource as JSON has it."""
    timeouts, paths = resource.custom_timeouts, resource.secret_paths
    return ResourceForm(
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        inputs=cast("dict[str, JsonValue]", to_json(resource.inputs)),
        custom=resource.custom,
        parent=resource.parent,
        provider=resource.provider,
        # A set has another order in every process, and equal recordings have to be equal texts.
        dependencies=tuple(sorted(resource.dependencies)),
        property_dependencies={
            key: tuple(sorted(urns)) for key, urns in sorted(resource.property_dependencies.items())
        },
        protect=resource.protect,
        retain_on_delete=resource.retain_on_delete,
        custom_timeouts=_TimeoutsForm(create=timeouts.create, update=timeouts.update, delete=timeouts.delete),
        delete_before_replace=resource.delete_before_replace,
        ignore_changes=resource.ignore_changes,
        replace_on_changes=resource.replace_on_changes,
        secret_paths=None if paths is None else tuple(sorted(paths, key=_order)),
    )


def resource_of(form: ResourceForm) -> Resource:
    """Return the resource that `resource_form` was given.

    Raises:
        ValueError: its inputs are none.

    """
    inputs = from_json(cast("Json", form.inputs))
    if not isinstance(inputs, dict):
        # Not of a wrong type in this program: the text that was read is wrong.
        raise ValueError(f"the inputs of {form.urn} are unknown as a whole")  # noqa: TRY004
    timeouts = form.custom_timeouts
    return Resource(
        urn=form.urn,
        type=form.type,
        name=form.name,
        inputs=inputs,
        custom=form.custom,
        parent=form.parent,
        provider=form.provider,
        dependencies=frozenset(form.dependencies),
        property_dependencies={key: frozenset(urns) for key, urns in form.property_dependencies.items()},
        protect=form.protect,
        retain_on_delete=form.retain_on_delete,
        custom_timeouts=CustomTimeouts(timeouts.create, timeouts.update, timeouts.delete),
        delete_before_replace=form.delete_before_replace,
        ignore_changes=form.ignore_changes,
        replace_on_changes=form.replace_on_changes,
        secret_paths=None if form.secret_paths is None else frozenset(form.secret_paths),
    )


def _order(path: Path) -> tuple[str, ...]:
    return tuple(f"{type(step).__name__} {step}" for step in path)
