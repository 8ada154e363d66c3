"""Values deep in objects of the state, of which any level may be missing or null."""

from collections.abc import Mapping, Sequence
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


def leaves_by_path(value: object, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], object]:
    """Return the leaves by their paths; an item of a list by its name, where it has one."""
    if isinstance(value, Mapping):
        items = [(str(key), item) for key, item in cast("Mapping[object, object]", value).items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        items = [
            (_item_name(item, index), item) for index, item in enumerate(cast("Sequence[object]", value))
        ]
    else:
        return {path: value}
    return {found: leaf for key, item in items for found, leaf in leaves_by_path(item, (*path, key)).items()}


def _item_name(item: object, index: int) -> str:
    named: object = cast("Mapping[str, object]", item).get("name") if isinstance(item, Mapping) else None
    return named if isinstance(named, str) else str(index)
