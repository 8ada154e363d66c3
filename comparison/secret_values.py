"""Secrets among inputs: told apart from other values before anything is compared, and never shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from comparison.nested_values import is_list, is_mapping
from resource_graph import Resource, Value
from resource_graph.resource import Path

MARK = "[secret]"
"""Stands for the value of a secret in whatever a comparison says."""

_SECRET_FIELDS = ("data", "stringData")


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that nobody may see; two are equal where their marks are."""

    mark: object


def inputs_of(resource: Resource) -> Mapping[str, object]:
    """Return the inputs with every secret in a `Secret`, those of a Kubernetes Secret included."""
    inputs: Mapping[str, object] = resource.inputs
    for path in [*(resource.secret_paths or ()), *_of_kubernetes_secret(resource)]:
        hidden = _hidden(inputs, path)
        if is_mapping(hidden):
            inputs = hidden
    return inputs


def shown(value: object) -> Value:
    """Return the value as it may be said: a mark in every secret's place."""
    if isinstance(value, Secret):
        return MARK
    if is_mapping(value):
        return {key: shown(each) for key, each in value.items()}
    if is_list(value):
        return [shown(each) for each in value]
    return cast("Value", value)


def _of_kubernetes_secret(resource: Resource) -> Iterable[Path]:
    # The engine marks the data of each Secret as secret, whatever the program has marked (facts/provider.md).
    if resource.kind == "Secret":
        yield from ((field,) for field in _SECRET_FIELDS if field in resource.inputs)


def _hidden(value: object, path: Path) -> object:
    if isinstance(value, Secret):
        return value
    if not path:
        return _all_hidden(value)
    head, rest = path[0], path[1:]
    if is_mapping(value) and isinstance(head, str) and head in value:
        return {**value, head: _hidden(value[head], rest)}
    if is_list(value) and isinstance(head, int) and head < len(value):
        return [*value[:head], _hidden(value[head], rest), *value[head + 1 :]]
    return value


def _all_hidden(value: object) -> object:
    # The names below are no secret, and say which value is another one.
    if is_mapping(value):
        return {key: _all_hidden(each) for key, each in value.items()}
    if is_list(value):
        return [_all_hidden(each) for each in value]
    return value if value is None or isinstance(value, Secret) else Secret(value)
