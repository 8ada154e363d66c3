"""Which resource of the older recording is which of the newer one."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from resource_graph import Resource
from resource_graph.urns import KUBERNETES, urn_name

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
        return self.before.urn != self.after.urn and self.before.type == self.after.type

    @property
    def has_other_version(self) -> bool:
        """Whether it is a Kubernetes object whose API has another version."""
        return self.before.type != self.after.type


def paired(
    base: Iterable[Resource], head: Iterable[Resource]
) -> tuple[list[Pair], list[Resource], list[Resource]]:
    """Return which resources are on both sides, which are gone and which are new.

    Two of one URN are one resource. Of the rest those are one that differ in the hash at the end of the name
    alone, or in the version of the API: to the engine they are two, to a reader one that is changed. Where
    several would do, none is paired.
    """
    old, new = {each.urn: each for each in base}, {each.urn: each for each in head}
    both = [Pair(old[urn], new[urn]) for urn in new if urn in old]
    removed = [each for urn, each in old.items() if urn not in new]
    added = [each for urn, each in new.items() if urn not in old]
    for key_of in (_without_hash, _without_version):
        found = _alike(removed, added, key_of)
        both += found
        taken = {pair.before.urn for pair in found}, {pair.after.urn for pair in found}
        removed = [each for each in removed if each.urn not in taken[0]]
        added = [each for each in added if each.urn not in taken[1]]
    return both, removed, added


def title_of(resource: Resource) -> str:
    """Return `ConfigMap gpt-oss/engine-files`, or type and name of what is no Kubernetes object."""
    kind = resource.kind or resource.type.rpartition(":")[2]
    place = f"{resource.namespace}/" if isinstance(resource.namespace, str) else ""
    return f"{kind} {place}{name_of(resource)}"


def name_of(resource: Resource) -> str:
    """Return the object's name, or the program's own where there is no object or its name is not known."""
    name = resource.object_name if resource.kind is not None else None
    return name if isinstance(name, str) else urn_name(resource.urn)


def _alike(
    removed: Sequence[Resource], added: Sequence[Resource], key_of: Callable[[Resource], Hashable | None]
) -> list[Pair]:
    old, new = _grouped(removed, key_of), _grouped(added, key_of)
    return [
        Pair(old[key][0], members[0])
        for key, members in new.items()
        if len(members) == 1 and len(old.get(key, ())) == 1
    ]


def _grouped(
    resources: Iterable[Resource], key_of: Callable[[Resource], Hashable | None]
) -> dict[Hashable, list[Resource]]:
    found: dict[Hashable, list[Resource]] = defaultdict(list)
    for each in resources:
        key = key_of(each)
        if key is not None:
            found[key].append(each)
    return found


def _without_hash(resource: Resource) -> Hashable | None:
    name = resource.object_name if resource.kind is not None else resource.name
    match = _HASHED.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        return None
    return resource.type, resource.parent, str(resource.namespace), match["stem"]


def _without_version(resource: Resource) -> Hashable | None:
    if not resource.type.startswith(KUBERNETES) or resource.kind is None:
        return None
    group = (resource.api_version or "").rpartition("/")[0]
    name = resource.object_name
    return group, resource.kind, str(resource.namespace), name if isinstance(name, str) else resource.name
