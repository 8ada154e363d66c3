"""Which item of one list is which of another."""

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final

from comparison.nested_values import is_mapping

_NAMING = (
    *("name", "key", "id", "type", "mountPath", "containerPort", "port", "deviceName"),
    *("resourceType", "serviceAccount"),
)
"""Fields by which Kubernetes and AWS tell the items of a list apart; the first that does so is taken."""
ABSENT: Final = object()
"""No such item or key: a null is one to Kubernetes and to the engine too."""


def identities(
    before: Sequence[object], after: Sequence[object]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return what tells each item of either list from all others in it; None where nothing in them does."""
    for field in _NAMING:
        old, new = _labels(field, before), _labels(field, after)
        if old is not None and new is not None:
            return old, new
    return None


def _labels(field: str, items: Sequence[object]) -> tuple[str, ...] | None:
    found = [item.get(field) for item in items if is_mapping(item)]
    labels = tuple(str(each) for each in found if isinstance(each, (str, int)))
    return labels if len(set(labels)) == len(items) else None


def paired_by_identity(
    old: Sequence[str], before: Sequence[object], new: Sequence[str], after: Sequence[object]
) -> Iterator[tuple[str, object, object]]:
    """Yield identity, older and newer item: in the newer list's order, then those that are gone."""
    left = dict(zip(old, before, strict=True))
    for label, item in zip(new, after, strict=True):
        yield label, left.pop(label, ABSENT), item
    for label, item in left.items():
        yield label, item, ABSENT


def paired_in_order(
    before: Sequence[object], after: Sequence[object]
) -> Iterator[tuple[int, object, object]]:
    """Yield position, older and newer item of lists whose items nothing tells apart.

    What stands between equal ones belongs together. The position is that in the newer list, or else in the
    older one.
    """
    old, new = [_content(item) for item in before], [_content(item) for item in after]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            continue
        between = zip_longest(before[old_from:old_to], after[new_from:new_to], fillvalue=ABSENT)
        for index, (old_item, new_item) in enumerate(between):
            yield index + (old_from if new_item is ABSENT else new_from), old_item, new_item


def _content(value: object) -> str:
    """Return a text that two values share where they are written alike, but for the order of keys."""
    return json.dumps(value, sort_keys=True, default=repr)
