"""Which values of a resource may not be written: secrets, and what only the update will know."""

from collections.abc import Mapping, Sequence

from resource_graph import UNKNOWN, Resource, Value
from resource_graph.resource import Path

_SECRET_SHOWN = "[secret, not written]"  # noqa: S105 - stands where a secret is left out
_UNKNOWN_SHOWN = "[known only after the update]"


def without_secrets(resource: Resource) -> Mapping[str, Value]:
    """The inputs with a mark in the place of every secret."""
    paths = set(resource.secret_paths or ())
    if resource.kind == "Secret":
        paths |= {("data",), ("stringData",)}
    shown = _replaced(resource.inputs, (), frozenset(paths), inside=False)
    return shown if isinstance(shown, Mapping) else {}


def with_unknowns_marked(inputs: Mapping[str, Value]) -> Mapping[str, Value]:
    """The inputs with a mark in the place of every unknown value."""
    return {key: _marked(value) for key, value in inputs.items()}


def _replaced(value: Value, path: Path, secrets: frozenset[Path], *, inside: bool) -> Value:
    inside = inside or path in secrets
    if isinstance(value, Mapping):
        return {key: _replaced(item, (*path, key), secrets, inside=inside) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_replaced(item, (*path, index), secrets, inside=inside) for index, item in enumerate(value)]
    return _SECRET_SHOWN if inside else value


def _marked(value: Value) -> Value:
    if isinstance(value, Mapping):
        return with_unknowns_marked(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_marked(item) for item in value]
    return _UNKNOWN_SHOWN if value is UNKNOWN else value
