"""Values that may not be written, secrets and what only the update will know, and what stands for them."""

from collections.abc import Mapping, Sequence
from typing import cast

from cli.yaml_text import as_comment
from comparison.nested_values import with_leaves
from resource_graph import UNKNOWN, Resource, Value
from resource_graph.resource import Path

_SECRET_SHOWN = "[secret, not written]"  # noqa: S105 - stands where a secret is left out
_UNKNOWN_SHOWN = "[known only after the update]"
_PARTS = ("data", "stringData")


def without_secrets(resource: Resource) -> Mapping[str, Value]:
    """The inputs with a mark in the place of every secret."""
    paths = set(resource.secret_paths or ())
    if resource.kind == "Secret":
        paths |= {("data",), ("stringData",)}
    shown = _replaced(resource.inputs, (), frozenset(paths), inside=False)
    return shown if isinstance(shown, Mapping) else {}


def with_unknowns_marked(inputs: Mapping[str, Value]) -> Mapping[str, Value]:
    """The inputs with a mark in the place of every unknown value."""
    marked = with_leaves(inputs, lambda each: _UNKNOWN_SHOWN if each is UNKNOWN else each)
    return cast("Mapping[str, Value]", marked)


def secret_document(resource: Resource) -> str:
    """Return a comment with the Secret's name, its keys and three ways to bring it."""
    name = resource.object_name if isinstance(resource.object_name, str) else resource.name
    namespace = resource.namespace if isinstance(resource.namespace, str) else "default"
    parts = (resource.inputs.get(part) for part in _PARTS)
    keys = sorted({key for part in parts if isinstance(part, Mapping) for key in part})
    files = " ".join(f"--from-file={key}=FILE" for key in keys)
    lines = [
        f"This Secret holds secret values, so it is not written: {namespace}/{name}",
        f"type: {resource.inputs.get('type') or 'Opaque'}",
        f"keys: {', '.join(keys) or 'unknown'}",
        "Bring it before the next object is applied, by one of:",
        f"  kubectl create secret generic {name} --namespace {namespace} {files}".rstrip(),
        f"  External Secrets: an ExternalSecret in {namespace} with target.name {name} and these secretKeys",
        "  Sealed Secrets: the kubectl line with --dry-run=client --output yaml, piped into kubeseal",
    ]
    return as_comment("\n".join(lines))


def _replaced(value: Value, path: Path, secrets: frozenset[Path], *, inside: bool) -> Value:
    inside = inside or path in secrets
    if isinstance(value, Mapping):
        return {key: _replaced(item, (*path, key), secrets, inside=inside) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_replaced(item, (*path, index), secrets, inside=inside) for index, item in enumerate(value)]
    return _SECRET_SHOWN if inside else value
