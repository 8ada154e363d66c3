"""An OpenAPI schema, read only as far as an object uses it, and the right place of an unknown field."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from resource_graph import Path, Value
from resource_graph.spelling import most_alike

Raw = Mapping[str, Any]
Resolve = Callable[[Raw], Raw]
"""Function that replaces a reference by the schema that the reference names."""
NAME = "x-name"
"""Key under which a type of a built-in kind carries its name in Kubernetes' own code."""
_PRESERVES = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING = "x-kubernetes-int-or-string"
KINDS: Mapping[type, str] = {
    str: "string",
    dict: "object",
    list: "array",
    bool: "boolean",
    int: "integer",
    float: "number",
}
"""What JSON calls values of Python's own types."""
_SCALARS = frozenset({"string", "boolean", "integer", "number"})
_Breaks = Callable[[Any, Any], bool]
_IN_BODY: Mapping[str, tuple[_Breaks, str]] = {
    "minLength": (lambda value, limit: len(value) < limit, "should be at least {} chars long"),
    "maxLength": (lambda value, limit: len(value) > limit, "should be at most {} chars long"),
    # An amount may be a number too, which no pattern is for.
    "pattern": (
        lambda value, limit: isinstance(value, str) and re.search(limit, value) is None,
        "should match '{}'",
    ),
    "minimum": (lambda value, limit: value < limit, "should be greater than or equal to {}"),
    "maximum": (lambda value, limit: value > limit, "should be less than or equal to {}"),
    "minItems": (lambda value, limit: len(value) < limit, "should have at least {} items"),
    "maxItems": (lambda value, limit: len(value) > limit, "should have at most {} items"),
    "maxProperties": (lambda value, limit: len(value) > limit, "should have at most {} properties"),
}
"""Limit of a schema -> whether a value breaks it, and the API server's words."""
_LIMITS = frozenset({"enum", *_IN_BODY})
_QUANTITY = "Quantity"
_AMOUNT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?")
_FORM = re.compile(r"([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)")
NO_QUANTITY = f"quantities must match the regular expression '^{_FORM.pattern}$'"
_NO_SUFFIX = "unable to parse quantity's suffix"
_DEEPEST = 3
"""Levels down to which a field is looked for: pod template, pod, container."""
_MOST_PLACES = 3
_SELDOM_MEANT = frozenset({"ephemeralContainers", "initContainers"})
SURE, _LIKELY = 0.8, 0.6
"""Likeness of two names, as difflib measures it, from which a guess is sure or likely."""


class Schema:
    """What one place of an object may hold.

    Args:
        raw: a node of a schema; empty where anything may stand.
        resolve: for the node and all below it.
        is_definition: whether it is of a CustomResourceDefinition. Such schemas refuse a repeated key of a
            list, which built-in kinds take, and an object without fields is empty there, where it is anything
            in a built-in kind.
    """

    def __init__(self, raw: Raw, resolve: Resolve, *, is_definition: bool) -> None:
        raw = resolve(raw)
        self.raw = raw
        self._resolve = resolve
        self.is_definition = is_definition and NAME not in raw
        self.known: dict[str, Schema | None] = {}
        """Name of a field -> its schema, as `field` found it before; None for an unknown field."""
        self.admitted: set[str] = set()
        """Texts that break none of the schema's limits: the same image or name stands in many objects."""
        self.kinds = _kinds(raw)
        """Kinds of JSON values that the schema takes; empty where any will do."""
        self.required: Sequence[str] = raw.get("required", ())
        self.is_limited = not _LIMITS.isdisjoint(raw) or self.name == _QUANTITY
        scalars = frozenset[str]() if self.is_limited else self.kinds & _SCALARS
        self.plain = frozenset(each for each, kind in KINDS.items() if kind in scalars)
        """Types of values that need no further check."""
        self.list_keys: Sequence[str] = ()
        if self.is_definition and raw.get("x-kubernetes-list-type") == "map":
            self.list_keys = raw.get("x-kubernetes-list-map-keys", ())

    @property
    def names(self) -> Sequence[str]:
        """Names of the fields that the schema lists."""
        return tuple(self.raw.get("properties", ()))

    @property
    def is_open(self) -> bool:
        """Whether fields that the schema does not list are kept."""
        raw = self.raw
        if raw.get(_PRESERVES) is True:
            return True
        return not self.is_definition and "properties" not in raw and "additionalProperties" not in raw

    @property
    def name(self) -> str:
        """Name of the type in Kubernetes' own code; empty for a node without one."""
        return self.raw.get(NAME, "")

    def field(self, name: str) -> "Schema | None":
        """Schema of the value of that key; None where the schema does not know the key."""
        if name not in self.known:
            raw = self.raw.get("properties", {}).get(name)
            self.known[name] = self.rest if raw is None else self._below(raw)
        return self.known[name]

    @cached_property
    def rest(self) -> "Schema | None":
        """Schema of the values of freely chosen keys, such as names of services; None without such keys."""
        raw = self.raw.get("additionalProperties", False)
        return None if raw is False else self._below({} if raw is True else raw)

    @cached_property
    def items(self) -> "Schema":
        """Schema of the items of a list."""
        return self._below(self.raw.get("items", {}))

    def at(self, step: str | int) -> "Schema | None":
        """Schema of the value one step further down; None where the schema does not know the step."""
        return self.items if isinstance(step, int) else self.field(step)

    def fills(self, name: str) -> bool:
        """Whether the API server fills in that field where it is absent."""
        below = self.field(name)
        return below is not None and "default" in below.raw

    def objects(self) -> Iterator[tuple[str, "Schema"]]:
        """The fields that hold fields of their own; `containers[]` where they are a list of such."""
        for name in (each for each in self.names if each not in _SELDOM_MEANT):
            below = self.field(name)
            is_list = below is not None and "items" in below.raw
            holder = below.items if below is not None and is_list else below
            if holder is not None and holder.names:
                yield f"{name}[]" if is_list else name, holder

    def _below(self, raw: Raw) -> "Schema":
        return Schema(raw, self._resolve, is_definition=self.is_definition)


def schema_at(root: Schema, path: Path) -> Schema | None:
    """The schema of the value at the path; None where the schema does not lead there."""
    schema: Schema | None = root
    for step in path:
        schema = None if schema is None else schema.at(step)
    return schema


def dotted(path: Path) -> str:
    """The path as an API server writes it."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def limit_broken(schema: Schema, value: Value, path: Path) -> str | None:
    """Which limit of the schema a value breaks, in an API server's words; None where none is."""
    raw = schema.raw
    allowed = raw.get("enum")
    if allowed is not None and value not in allowed:
        supported = ", ".join(f'"{item}"' for item in allowed)
        return f'{dotted(path)}: Unsupported value: "{value}": supported values: {supported}'
    if schema.name == _QUANTITY and isinstance(value, str) and not _AMOUNT.fullmatch(value):
        # k8s.io/apimachinery pkg/api/resource/quantity.go
        return _NO_SUFFIX if _FORM.fullmatch(value) else NO_QUANTITY
    for name, (breaks, said) in _IN_BODY.items():
        if name in raw and breaks(value, raw[name]):
            shown = f'"{value}"' if isinstance(value, str) else value
            body = f"{dotted(path)} in body {said.format(raw[name])}"
            return f"{dotted(path)}: Invalid value: {shown}: {body}"
    return None


def hint(root: Schema, path: Path) -> str:
    """What to write instead of the unknown field at the path; empty where nobody can tell."""
    parent, name = schema_at(root, path[:-1]), str(path[-1])
    if parent is None:
        return ""
    near = most_alike(name, parent.names, _LIKELY)
    said = [f"the nearest field here is {near}"] if near is not None else []
    places = [*_above(root, path, name), *_below(parent, path, name)][:_MOST_PLACES]
    if places:
        said.append(f"{name} belongs to {' or '.join(places)}")
    return "; ".join(said)


def _kinds(raw: Raw) -> frozenset[str]:
    if raw.get(_INT_OR_STRING) is True:
        return frozenset({"integer", "string"})
    stated = raw.get("type")
    if stated is None:
        # The value is of a built-in kind: a quantity, or a port that is a number or a name.
        branches = raw.get("oneOf", ())
        return frozenset(kind for branch in branches for kind in _kinds(branch))
    kinds = frozenset({stated} if isinstance(stated, str) else stated) - {"null"}
    return kinds | {"integer"} if "number" in kinds else kinds


def _above(root: Schema, path: Path, name: str) -> Iterator[str]:
    for length in range(len(path) - 2, 0, -1):
        schema = schema_at(root, path[:length])
        if schema is not None and name in schema.names:
            yield dotted((*path[:length], name))
            return


def _below(parent: Schema, path: Path, name: str) -> Iterator[str]:
    """Paths of fields of that name below the parent, nearest first."""
    level: list[tuple[Path, Schema]] = [(path[:-1], parent)]
    for _ in range(_DEEPEST):
        level = [((*steps, key), below) for steps, schema in level for key, below in schema.objects()]
        yield from (dotted((*steps, name)) for steps, schema in level if name in schema.names)
