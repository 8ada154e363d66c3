"""What an object has that its schema does not take, in the API server's words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from resource_graph import UNKNOWN, Path, Value
from rules.reading.objects.schemas import KINDS, NO_QUANTITY, Schema, dotted, limit_broken

PLACEHOLDER = re.compile(r"\$\{[^}]*\}|\{\{.*\}\}|^<[^<>]+>$|^\$[A-Za-z_]\w*$", re.DOTALL)
"""Text that a template engine, `envsubst` or a reader is to replace."""
_PULUMI_OWN = "__"
"""Beginning of the keys that Pulumi's provider keeps among an object's inputs (pulumi/pulumi-kubernetes
provider/pkg/provider, __initialApiVersion and __fieldManager)."""
_GO_FOUND: Mapping[str, str] = {"integer": "number", "boolean": "bool"}
_NEVER_EMPTY = "containers"
"""Field of a pod of a built-in kind that must hold a list with at least one item (ValidatePodSpec in
kubernetes pkg/apis/core/validation)."""
MistakeKind = Literal["unknown", "missing", "type", "value", "placeholder", "relation"]
"""A field that the schema does not name, a missing one, a value of another type or beyond a limit, a text to
be replaced where the schema wants no text, or two places of one object that do not agree."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One place of an object that the API server refuses or drops."""

    path: Path
    kind: MistakeKind
    says: str
    """The API server's words about the mistake; for a placeholder the text to be replaced."""


def find_mistakes(value: Mapping[str, Value], schema: Schema) -> Sequence[Mistake]:
    """Everything in the object that the schema does not take; what is unknown is left out, and so is status.

    The API server takes the status from the controller that owns it, and drops it from everybody else.
    """
    return tuple(_in_mapping({key: item for key, item in value.items() if key != "status"}, schema, ()))


def _in_mapping(value: Mapping[str, Value], schema: Schema, path: Path) -> Iterator[Mistake]:
    known = schema.known
    for key, item in value.items():
        below = known[key] if key in known else schema.field(key)
        if below is not None:
            # Most values need no further look.
            if type(item) not in below.plain:
                yield from _in_value(item, below, (*path, key))
        elif not (schema.is_open or key.startswith(_PULUMI_OWN)):
            at = (*path, key)
            yield Mistake(at, "unknown", f'strict decoding error: unknown field "{dotted(at)}"')
    for key in schema.required:
        # The API server drops a null before it looks.
        item = value.get(key)
        absent = item is None or (key == _NEVER_EMPTY and item == [] and not schema.is_definition)
        if absent and not schema.fills(key):
            yield Mistake((*path, key), "missing", f"{dotted((*path, key))}: Required value")


def _in_value(value: Value, schema: Schema, path: Path) -> Iterator[Mistake]:
    if value is None or value is UNKNOWN:
        return
    kind = KINDS.get(type(value)) or ("object" if isinstance(value, Mapping) else "array")
    kinds = schema.kinds
    if kinds and kind not in kinds and not _is_whole(value, kinds):
        yield refused(value, path, "type", _wrong_kind(kind, schema, path))
        return
    if schema.is_limited and not (kind == "string" and value in schema.admitted):
        said = limit_broken(schema, value, path)
        if said is not None:
            yield refused(value, path, "value", said)
        elif isinstance(value, str):
            schema.admitted.add(value)
    if kind == "object":
        yield from _in_mapping(cast("Mapping[str, Value]", value), schema, path)
    elif kind == "array":
        yield from _in_list(cast("Sequence[Value]", value), schema, path)


def _in_list(items: Sequence[Value], schema: Schema, path: Path) -> Iterator[Mistake]:
    below = schema.items
    for index, item in enumerate(items):
        if type(item) not in below.plain:
            yield from _in_value(item, below, (*path, index))
    for index, shown in _repeated(items, schema.list_keys) if schema.list_keys else ():
        at = (*path, index)
        yield Mistake(at, "value", f"{dotted(at)}: Duplicate value: {{{shown}}}")


def refused(value: Value, path: Path, kind: MistakeKind, said: str) -> Mistake:
    """What the API server says of a value; a text that is still to be replaced is none of its own."""
    if isinstance(value, str) and PLACEHOLDER.search(value):
        return Mistake(path, "placeholder", value)
    return Mistake(path, kind, said)


def _repeated(items: Sequence[Value], keys: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Positions of items that have the keys of an earlier one, and those keys."""
    seen: set[tuple[Value, ...]] = set()
    for index, item in enumerate(items):
        identity = tuple(item.get(key) for key in keys) if isinstance(item, (dict, Mapping)) else ()
        if not identity or any(not isinstance(part, str | int) for part in identity):
            continue
        if identity in seen:
            yield index, ", ".join(f'"{key}":"{part}"' for key, part in zip(keys, identity, strict=True))
        seen.add(identity)


def _is_whole(value: Value, kinds: frozenset[str]) -> bool:
    """Whether a number without a fraction stands where a whole number is due."""
    return isinstance(value, float) and "integer" in kinds and value.is_integer()


def _wrong_kind(kind: str, schema: Schema, path: Path) -> str:
    if schema.is_definition:
        wanted, where = ",".join(sorted(schema.kinds)), dotted(path)
        if kind == "number" and "format" in schema.raw:
            # Go's words, where the schema says how many bits a number has.
            kind, wanted = "float64", schema.raw["format"]
        return f'{where}: Invalid value: "{kind}": {where} in body must be of type {wanted}: "{kind}"'
    found = _GO_FOUND.get(kind, kind)
    return NO_QUANTITY if "number" in schema.kinds else f"json: cannot unmarshal {found}"
