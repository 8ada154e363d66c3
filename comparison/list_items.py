"""Which item of one list is which of another."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from comparison.nested_values import is_mapping

_BY_NAME = (("name",),)
_ANY = (("name",), ("key",), ("id",), ("type",))

# Field that holds a list -> fields of an item that together say which one it is: the merge keys of
# kubernetes' own schema (x-kubernetes-list-map-keys, x-kubernetes-patch-merge-key), and what AWS refuses to
# have twice. Of several the first that tells all items apart is taken.
_IDENTITIES: Mapping[str, Sequence[Sequence[str]]] = {
    "blockDeviceMappings": (("deviceName",),),
    "claims": (("name", "request"), ("name",)),
    "conditions": (("type",),),
    "hostAliases": (("ip",),),
    "items": (("key",), *_BY_NAME),
    "matchExpressions": (("key", "operator"),),
    "networkInterfaces": (("networkCardIndex", "deviceIndex"), ("deviceIndex",)),
    "podIdentityAssociations": (("serviceAccount",),),
    "ports": (("containerPort", "protocol"), ("port", "protocol"), ("name",)),
    "subjects": (("kind", "namespace", "name"),),
    "tagSpecifications": (("resourceType",),),
    "taints": (("key", "effect"),),
    "tolerations": (("key", "operator", "effect"), ("key", "operator", "value", "effect")),
    "topologySpreadConstraints": (("topologyKey", "whenUnsatisfiable"),),
    "volumeClaimTemplates": (("metadata.name",),),
    "volumeDevices": (("devicePath",),),
    "volumeMounts": (("mountPath",),),
}
_OMITTED = {"effect": "", "key": "", "operator": "Equal", "protocol": "TCP", "namespace": "", "request": ""}
"""What the part of an identity stands for where an item leaves it out."""


class ItemPair(NamedTuple):
    """One item of both lists, or of one of them."""

    label: str | int
    """Identity, or position: in the newer list for an item that is there, else in the older one."""
    before: int | None
    """Where it is in the older list; None: not there."""
    after: int | None
    """Where it is in the newer list; None: not there."""


def identities(field: str, items: Sequence[object]) -> tuple[str, ...] | None:
    """Return what tells each item from all others; None where nothing in them does.

    Args:
        field: name of the field that holds the list.
        items: the list.

    """
    omitted = _OMITTED if field in _IDENTITIES else {}
    for candidate in _IDENTITIES.get(field, _ANY):
        labels = [_label(item, candidate, omitted) for item in items]
        known = tuple(label for label in labels if label is not None)
        if len(known) == len(items) and len(set(known)) == len(items):
            return known
    return None


def pairs_by_identity(before: Sequence[str], after: Sequence[str]) -> Iterator[ItemPair]:
    """Pair items of the same identity: those of the newer list in its order, then those that are gone."""
    places = {label: index for index, label in enumerate(before)}
    for index, label in enumerate(after):
        yield ItemPair(label, places.get(label), index)
    kept = set(after)
    for index, label in enumerate(before):
        if label not in kept:
            yield ItemPair(label, index, None)


def pairs_in_order(before: Sequence[object], after: Sequence[object]) -> Iterator[ItemPair]:
    """Pair items that nothing tells apart: what stands between equal ones belongs together."""
    old, new = [content(item) for item in before], [content(item) for item in after]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            yield from _as_they_come(range(old_from, old_to), range(new_from, new_to))


def content(value: object) -> str:
    """Return a text that two values share where they are written alike, but for the order of keys."""
    return json.dumps(value, sort_keys=True, default=repr)


def _label(item: object, fields: Sequence[str], omitted: Mapping[str, str]) -> str | None:
    if not is_mapping(item):
        return None
    parts = [_part(item, field, omitted) for field in fields]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return "/".join(part for part in known if part) or "*"


def _part(item: Mapping[str, object], field: str, omitted: Mapping[str, str]) -> str | None:
    holder, _, name = field.rpartition(".")
    inside = item.get(holder) if holder else item
    value = inside.get(name, omitted.get(name)) if is_mapping(inside) else None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return str(value)


def _as_they_come(before: Sequence[int], after: Sequence[int]) -> Iterator[ItemPair]:
    together = min(len(before), len(after))
    for old, new in zip(before[:together], after[:together], strict=True):
        yield ItemPair(new, old, new)
    yield from (ItemPair(index, index, None) for index in before[together:])
    yield from (ItemPair(index, None, index) for index in after[together:])
