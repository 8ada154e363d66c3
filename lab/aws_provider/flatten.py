"""What AWS describes, as values of the shape that the program gave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.expand import find

if TYPE_CHECKING:
    from collections.abc import Mapping


def flatten(live: Any, given: Any, renamed: Mapping[str, str]) -> Any:
    """The live value, cut to the keys that the program gave and spelled as it spelled them."""
    if isinstance(given, dict):
        return _object(live, given, renamed)
    if isinstance(given, list):
        return _list(live, given, renamed)
    return _scalar(live, given)


def same_json(left: Any, right: Any) -> bool:
    """Whether two texts say the same as JSON; AWS reorders and reformats policy documents."""
    try:
        return json.loads(left) == json.loads(right)
    except (TypeError, ValueError):
        return left == right


def text_map(live: Any) -> dict[str, str]:
    """A map of tags or labels: its keys are data, none of them is spelled otherwise."""
    if isinstance(live, list):
        return {item.get("Key", item.get("TagKey")): item.get("Value", item.get("TagValue")) for item in live}
    return dict(live or {})


def in_order_of(given: list[Any], items: list[Any]) -> list[Any]:
    """The items, those that were given in the order in which they were."""
    first = [item for item in given if item in items]
    return first + [item for item in items if item not in given]


def _object(live: Any, given: dict[str, Any], renamed: Mapping[str, str]) -> Any:
    if isinstance(live, list):
        return text_map(live)
    result: dict[str, Any] = {}
    for key, item in given.items():
        name = find(key, live, renamed)
        if name is not None and live[name] is not None:
            result[key] = flatten(live[name], item, renamed)
        # What AWS leaves out of its answer is nothing, false or empty, as the program may have said.
        elif item in (False, "", "false", 0, [], {}):
            result[key] = item
    return result


def _list(live: Any, given: list[Any], renamed: Mapping[str, str]) -> list[Any]:
    items = live if isinstance(live, list) else [live]
    if not given or not isinstance(given[0], dict):
        return in_order_of(given, [_scalar(item, given[0] if given else None) for item in items])
    # A list of objects: what came back first belongs to what was given first, and all to the same keys.
    keys = {key: value for item in reversed(given) for key, value in item.items()}
    guides = [given[index] if index < len(given) else keys for index in range(len(items))]
    return [flatten(item, guide, renamed) for item, guide in zip(items, guides, strict=True)]


def _scalar(live: Any, given: Any) -> Any:
    if isinstance(live, bool) and isinstance(given, str):
        return "true" if live else "false"
    if isinstance(live, int | float) and isinstance(given, str):
        return str(live)
    return given if same_json(live, given) else live
