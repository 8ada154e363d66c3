"""Which item of one list is which of another."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final

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


ABSENT: Final = object()
"""No such item or key: a null is one to Kubernetes and to the engine too."""


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
