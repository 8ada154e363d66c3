"""The JSONPath expressions of pulumi.com/waitFor: kubectl's `{.a.b[0]}` and RFC 9535's `$.a['b']`.

Steps: a key by dot or in brackets, an index, `*`, and a filter that compares one key of the current
element with a literal. Anything else is refused when the annotation is read, not while waiting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Step = Callable[[Any], list[Any]]

_TOKEN = re.compile(
    r"""\.?\[\s*(?P<index>-?\d+)\s*\]
    | \.?\[\s*'(?P<single>(?:[^'\\]|\\.)*)'\s*\]
    | \.?\[\s*"(?P<double>(?:[^"\\]|\\.)*)"\s*\]
    | \.?\[\s*(?P<star>\*)\s*\]
    | \.?\[\s*\?\s*\(?\s*@\.(?P<filter_key>[\w-]+)\s*(?P<operator>==|!=)\s*
        (?P<literal>'[^']*'|"[^"]*"|[\w.-]+)\s*\)?\s*\]
    | \.(?P<dot_star>\*)
    | \.(?P<key>(?:[^\s.\[\]{}\\]|\\.)+)""",
    re.VERBOSE,
)


class JsonPathError(ValueError):
    """The expression cannot be read."""


@dataclass(frozen=True)
class JsonPath:
    """A parsed expression."""

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> JsonPath:
        """Raises JsonPathError."""
        inner = text.strip()
        if inner.startswith("{") and inner.endswith("}"):
            inner = inner[1:-1].strip()
        inner = inner.removeprefix("$")
        if inner and inner[0] not in ".[":
            inner = f".{inner}"
        steps: list[Step] = []
        position = 0
        while position < len(inner):
            token = _TOKEN.match(inner, position)
            if token is None:
                raise JsonPathError(f"cannot parse the JSONPath expression {text!r} at {inner[position:]!r}")
            steps.append(_step(token))
            position = token.end()
        if not steps:
            raise JsonPathError(f"the JSONPath expression {text!r} selects nothing")
        return cls(text, tuple(steps))

    def find(self, document: Any) -> list[Any]:
        """All values that the expression selects."""
        values = [document]
        for step in self.steps:
            values = [found for value in values for found in step(value)]
        return values


def _step(token: re.Match[str]) -> Step:
    if token["index"] is not None:
        return _by_index(int(token["index"]))
    if token["star"] or token["dot_star"]:
        return _children
    if token["filter_key"]:
        return _by_filter(token["filter_key"], _literal(token["literal"]), negated=token["operator"] == "!=")
    key = next(found for name in ("single", "double", "key") if (found := token[name]) is not None)
    return _by_key(re.sub(r"\\(.)", r"\1", key))


def _by_key(key: str) -> Step:
    return lambda value: [value[key]] if isinstance(value, dict) and key in value else []


def _by_index(index: int) -> Step:
    return lambda value: (
        [value[index]] if isinstance(value, list) and -len(value) <= index < len(value) else []
    )


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def _by_filter(key: str, literal: Any, *, negated: bool) -> Step:
    def matches(item: Any) -> bool:
        return isinstance(item, dict) and key in item and (item[key] == literal) != negated

    return lambda value: [item for item in _children(value) if matches(item)]


def _literal(text: str) -> Any:
    if text[0] in "'\"":
        return text[1:-1]
    try:
        return json.loads(text)
    except ValueError:
        return text
