"""Values deep in objects of the state, of which any level may be missing or null."""

from collections.abc import Mapping
from typing import Any, cast


def mapping_in(value: object, *keys: str) -> Mapping[str, Any]:
    """Return the mapping below these keys; an empty one where there is none."""
    for key in keys:
        value = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def mappings_in(value: object, *keys: str) -> list[Mapping[str, Any]]:
    """Return the mappings of the list below these keys; none where there is no list."""
    found: object = mapping_in(value, *keys[:-1]).get(keys[-1])
    if not isinstance(found, list):
        return []
    return [mapping_in(item) for item in cast("list[object]", found)]
