"""Property paths as the engine writes them: spec.containers[0].image, metadata.labels["a.b/c"]."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from resource_graph.values import Path

MISSING = object()
"""Stands for a value that is not there; None is a value."""
_PART = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[\]]+)')


def parse_path(text: str) -> Path:
    """Return the keys and indices of a path."""
    return tuple(
        int(index) if index else (quoted or key).replace('\\"', '"')
        for quoted, index, key in _PART.findall(text)
    )


def lookup(value: object, path: Path) -> object:
    """Return what lies at the path, MISSING where nothing does."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(value, Sequence) or isinstance(value, str) or part >= len(value):
                return MISSING
            value = cast("Sequence[object]", value)[part]
        elif isinstance(value, Mapping) and part in value:
            value = cast("Mapping[str, object]", value)[part]
        else:
            return MISSING
    return value


def shown(value: object) -> str:
    """Return a value as the table and JSON show it."""
    if value is MISSING:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def shown_path(path: Path) -> str:
    """Return a path as a person writes it."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif "." in part or "/" in part:
            text += f'["{part}"]'
        else:
            text += f".{part}" if text else part
    return text
