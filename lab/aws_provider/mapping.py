"""A resource's inputs as a creating request, and its description as inputs and outputs."""

from __future__ import annotations

from typing import Any

from lab.aws_provider import naming_of_keys
from lab.aws_provider.api import operation_model
from lab.aws_provider.errors import UnmappedInputError
from lab.aws_provider.expand import expand
from lab.aws_provider.flatten import flatten, text_map
from lab.aws_provider.resource_type import BUILT, NOTHING, Input, ResourceType, Subject, at
from lab.provider_service.values import Unknown

COMMON = ("region", "tags")


def creating_request(kind: ResourceType, subject: Subject) -> dict[str, Any]:
    """The parameters. Raises UnmappedInputError."""
    parameters = mapped(kind, subject.inputs)
    if kind.tagging is not None and subject.tags:
        parameters |= kind.tagging.create(subject.tags)
    return _merged(parameters, kind.also(subject))


def mapped(kind: ResourceType, inputs: dict[str, Any]) -> dict[str, Any]:
    """The parameters that come from inputs alone; unknown ones are left out."""
    shape = operation_model(kind.service, kind.create).input_shape
    parameters: dict[str, Any] = {}
    for key, value in inputs.items():
        entry = kind.inputs.get(key)
        if entry is None or entry.create in {None, BUILT} or isinstance(value, Unknown) or value == "":
            continue
        sent = entry.to_api(value) if entry.to_api else value
        path = entry.create or _member(kind, shape, key)
        _put(parameters, path, expand(sent, _shape_at(shape, path, kind, key), key, entry.names))
    return parameters


def values_of(kind: ResourceType, description: dict[str, Any], subject: Subject) -> dict[str, Any]:
    """Every input's value as AWS tells it; what it does not tell is as the program gave it."""
    found: dict[str, Any] = {}
    for key, entry in kind.inputs.items():
        given = subject.get(key)
        value = _value(entry, key, description, given)
        if value is not None:
            found[key] = value
    if kind.tagging is not None:
        # What AWS itself adds is no tag of anybody's.
        live = text_map(kind.tagging.read(description))
        found["tagsAll"] = {name: value for name, value in live.items() if not name.startswith("aws:")}
    return found


def _value(entry: Input, key: str, description: dict[str, Any], given: Any) -> Any:
    if entry.read is None:
        return given
    live = at(description, entry.read) if entry.read else _by_name(entry, key, description)
    if entry.from_live is not None:
        return entry.from_live(live, given)
    if entry.single and isinstance(live, list):
        live = live[0] if live else None
    if given is None and live in ([], {}):
        live = None
    if live is None:
        if given in (False, "", 0, [], {}):
            return given
        return None if entry.default is NOTHING else entry.default
    return flatten(live, given, entry.names)


def _by_name(entry: Input, key: str, description: dict[str, Any]) -> Any:
    path = "" if entry.create in {None, BUILT} else entry.create or ""
    if path and at(description, path) is not None:
        return at(description, path)
    name = naming_of_keys.find(key, description) if not path else None
    return description[name] if name else None


def _member(kind: ResourceType, shape: Any, key: str) -> str:
    name = naming_of_keys.find(key, getattr(shape, "members", {}))
    if name is None:
        raise UnmappedInputError(f"{kind.pulumi_type}: {kind.create} has no parameter for the input {key!r}")
    return name


def _shape_at(shape: Any, path: str, kind: ResourceType, key: str) -> Any:
    found: Any = shape
    for part in path.split("."):
        found = found.member if part.isdigit() else getattr(found, "members", {}).get(part)
        if found is None:
            raise UnmappedInputError(
                f"{kind.pulumi_type}: {kind.create} has no {path!r}, for the input {key!r}"
            )
    return found


def _put(parameters: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    inner = parameters
    for part in parents:
        inner = inner.setdefault(part, {})
    inner[last] = value


def _merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    result = dict(left)
    for key, value in right.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = _merged(result[key], value) if both else value
    return result
