"""A resource's inputs as a creating request, and its description as inputs and outputs."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.api import operation_model
from lab.aws_provider.errors import UnmappedInputError
from lab.aws_provider.expand import expand, find
from lab.aws_provider.flatten import flatten, text_map
from lab.aws_provider.resource_type import BUILT, NOTHING, Input, ResourceType, Subject, at
from lab.provider_service.values import Unknown


def creating_request(kind: ResourceType, subject: Subject) -> dict[str, Any]:
    """The parameters. Raises UnmappedInputError."""
    parameters = {**kind.also(subject), **mapped(kind, subject.inputs)}
    if kind.tagging is not None and subject.tags:
        parameters |= kind.tagging(subject.tags)
    return parameters


def mapped(kind: ResourceType, inputs: dict[str, Any]) -> dict[str, Any]:
    """The parameters that come from inputs alone; unknown ones are left out."""
    parameters: dict[str, Any] = {}
    for key, value in inputs.items():
        entry = kind.inputs[key] if key in kind.inputs else Input(create=None)
        if entry.create in {None, BUILT} or isinstance(value, Unknown) or value == "":
            continue
        path, shape = place_of(kind, key)
        *parents, last = path.split(".")
        inner = parameters
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = expand(entry.to_api(value) if entry.to_api else value, shape, key, entry.names)
    return parameters


def place_of(kind: ResourceType, key: str) -> tuple[str, Any]:
    """Dotted place of an input in the creating request, and its shape there. Raises UnmappedInputError."""
    shape: Any = operation_model(kind.service, kind.create).input_shape
    path = kind.inputs[key].create or find(key, shape.members) or key
    for part in path.split("."):
        shape = getattr(shape, "members", {}).get(part)
    if shape is None:
        raise UnmappedInputError(f"{kind.pulumi_type}: {kind.create} has no {path!r}, for the input {key!r}")
    return path, shape


def values_of(kind: ResourceType, description: dict[str, Any], subject: Subject) -> dict[str, Any]:
    """Every input's value as AWS tells it; what it does not tell is as the program gave it.

    What the program never said is AWS's to decide and no part of it, unless it has a default.
    """
    found = {
        key: _value(entry, key, description, subject.get(key))
        for key, entry in kind.inputs.items()
        if subject.get(key) is not None or entry.default is not NOTHING
    }
    if kind.tagging is not None:
        # What AWS itself adds is no tag of anybody's.
        live = text_map(description.get("tags") or description.get("Tags"))
        found["tagsAll"] = {name: value for name, value in live.items() if not name.startswith("aws:")}
    return {key: value for key, value in found.items() if value is not None}


def _value(entry: Input, key: str, description: dict[str, Any], given: Any) -> Any:
    if entry.read is None:
        return given
    path = entry.read or entry.create or ""
    name = find(key, description) or key
    # Some descriptions have a member of the request's name, others one of the input's.
    live = at(description, path) if path not in {"", BUILT} else description.get(name)
    if entry.from_live is not None:
        return entry.from_live(live, given)
    if entry.single and isinstance(live, list):
        live = live[0] if live else None
    if live is None:
        empty = given in (False, "", 0, [], {})
        return given if empty else None if entry.default is NOTHING else entry.default
    return flatten(live, given, entry.names)
