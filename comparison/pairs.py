"""Which resource of the older recording is which of the newer one."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from resource_graph import Resource
from resource_graph.urns import urn_name

_HASHED = re.compile(r"(?P<stem>.+)-(?P<hash>[0-9a-f]{8,64})")
"""Name that ends in a hash of the content, as `engine_files` and NATS's configuration have it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One resource on both sides."""

    before: Resource
    after: Resource

    @property
    def is_renamed(self) -> bool:
        """Whether its name ends in another hash, so that the engine knows two resources."""
        return self.before.urn != self.after.urn


def paired(
    base: Iterable[Resource], head: Iterable[Resource]
) -> tuple[list[Pair], list[Resource], list[Resource]]:
    """Return which resources are on both sides, which are gone and which are new.

    Two of one URN are one resource. Of the rest those are one that differ in the hash at the end of the name
    alone: to the engine they are two, to a reader one that is changed. Where several would do, none is
    paired.
    """
    old, new = {each.urn: each for each in base}, {each.urn: each for each in head}
    removed = [each for urn, each in old.items() if urn not in new]
    added = [each for urn, each in new.items() if urn not in old]
    before, after = _by_stem(removed), _by_stem(added)
    renamed = [
        Pair(before[stem][0], members[0])
        for stem, members in after.items()
        if len(members) == 1 and len(before.get(stem, ())) == 1
    ]
    both = [*(Pair(old[urn], new[urn]) for urn in new if urn in old), *renamed]
    taken = {urn for pair in renamed for urn in (pair.before.urn, pair.after.urn)}
    gone, new_ones = ([each for each in side if each.urn not in taken] for side in (removed, added))
    return both, gone, new_ones


def title_of(resource: Resource) -> str:
    """Return `ConfigMap gpt-oss/engine-files`, or type and name of what is no Kubernetes object."""
    kind = resource.kind or resource.type.rpartition(":")[2]
    place = f"{resource.namespace}/" if isinstance(resource.namespace, str) else ""
    return f"{kind} {place}{name_of(resource)}"


def name_of(resource: Resource) -> str:
    """Return the object's name, or the program's own where there is no object or its name is not known."""
    name = resource.object_name if resource.kind is not None else None
    return name if isinstance(name, str) else urn_name(resource.urn)


def _by_stem(resources: Iterable[Resource]) -> dict[Hashable, list[Resource]]:
    """Return the resources whose names end in a hash, by all that the hash leaves of them."""
    found: dict[Hashable, list[Resource]] = defaultdict(list)
    for each in resources:
        name = each.object_name if each.kind is not None else each.name
        match = _HASHED.fullmatch(name) if isinstance(name, str) else None
        if match is not None:
            found[each.type, each.parent, str(each.namespace), match["stem"]].append(each)
    return found
