"""The resources of one stack, or of a set of documents, with their edges."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from graphlib import CycleError, TopologicalSorter

from resource_graph.resource import Resource
from resource_graph.values import UNKNOWN, Unknown, Value


class Aspect(Enum):
    """A part of what the engine knows of a resource, which not every origin hands on.

    A rule that reads one is not evaluated where the origin is silent: a manifest without edges is neither
    in the right order nor in a wrong one.
    """

    EDGES = "the order of resources"
    PROTECTION = "protection and timeouts"
    RETENTION = "what stays when the stack is destroyed"
    SECRETS = "which inputs are secret"


DOCUMENTS_LACK = frozenset(Aspect)
"""A Kubernetes document says what an object is, and nothing of how an engine would treat it."""
POLICY_HOST_LACKS = frozenset({Aspect.RETENTION, Aspect.SECRETS})
_ANY = UNKNOWN
"""Stands in the index of names for all namespaces."""


class DuplicateResourceError(Exception):
    """Two resources have one URN: the engine would refuse the program."""

    def __init__(self, urn: str) -> None:
        super().__init__(f"duplicate resource URN {urn}: give one of the two another name")


class RecordingError(Exception):
    """The program asked for something that only a real engine could answer."""


class ResourceGraph:
    """Resources in the order in which they were declared.

    Args:
        resources: each once.
        lacks: what their origin does not tell of them.

    Raises:
        DuplicateResourceError: two resources have the same URN.
    """

    def __init__(self, resources: Iterable[Resource], lacks: frozenset[Aspect] = frozenset()) -> None:
        self.lacks = lacks
        self._by_urn: dict[str, Resource] = {}
        self._by_type: dict[str, list[Resource]] = {}
        self._by_kind: dict[str | None, list[Resource]] = {}
        self._named: dict[tuple[str, str, str | Unknown | None], list[Resource]] = {}
        for resource in resources:
            self._add(resource)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_urn.values())

    def __len__(self) -> int:
        return len(self._by_urn)

    def find(self, urn: str) -> Resource | None:
        """The resource with this URN, if there is one."""
        return self._by_urn.get(urn)

    def of_type(self, resource_type: str) -> Sequence[Resource]:
        """All resources of one Pulumi type."""
        return tuple(self._by_type.get(resource_type, ()))

    def components(self) -> Sequence[Resource]:
        """The resources that exist only in the program, and carry what it wants to be known."""
        return tuple(resource for resource in self if not resource.custom)

    def ancestors(self, resource: Resource) -> Iterator[Resource]:
        """Its parent, the parent's parent, and so on."""
        seen = {resource.urn}
        current = resource
        while current.parent is not None and current.parent not in seen:
            parent = self._by_urn.get(current.parent)
            if parent is None:
                return
            seen.add(parent.urn)
            yield parent
            current = parent

    def kubernetes_objects(self, kind: str | None = None) -> Sequence[Resource]:
        """Everything that is one Kubernetes object, of one kind or of any.

        A Helm release is none: what it installs cannot be seen from here.
        """
        if kind is not None:
            return tuple(self._by_kind.get(kind, ()))
        return tuple(resource for resource in self if resource.kind is not None)

    def kubernetes_objects_named(self, kind: str, name: str, namespace: Value) -> Sequence[Resource]:
        """Objects of that kind and name in a namespace.

        A namespace that is absent or unknown, here or there, may be any: a manifest often leaves it to
        `kubectl -n`.
        """
        places = (namespace, None) if isinstance(namespace, str) else (_ANY,)
        return tuple(item for place in places for item in self._named.get((kind, name, place), ()))

    def depends_on(self, dependent: Resource, dependency: Resource) -> bool:
        """Whether the engine creates `dependency` before, and deletes it after, `dependent`."""
        return dependency.urn in self.dependencies_of(dependent)

    def dependencies_of(self, dependent: Resource) -> frozenset[str]:
        """URNs of everything that the engine creates before, and deletes after, the resource.

        Follows what the engine follows: dependencies, the provider, and the parent with the parent's own
        dependencies (pulumi/pulumi pkg/resource/graph/dependency_graph.go). A dependency on a component is
        written down as one on its children (pulumi sdk/python/lib/pulumi/runtime/rpc.py).
        """
        seen: set[str] = set()
        waiting = [dependent]
        while waiting:
            for urn in self._direct(waiting.pop()):
                if urn not in seen:
                    seen.add(urn)
                    waiting.append(self._by_urn[urn])
        return frozenset(seen)

    def in_creation_order(self) -> Sequence[Resource]:
        """All resources, each after everything it depends on, otherwise by URN.

        Resources that wait for each other in a circle, which no engine accepts, come last.
        """
        sorter = TopologicalSorter({each.urn: self._direct(each) for each in self})
        with suppress(CycleError):
            sorter.prepare()
        ready: list[str] = []
        ordered: dict[str, Resource] = {}
        while sorter.is_active():
            for urn in sorter.get_ready():
                heapq.heappush(ready, urn)
            done = heapq.heappop(ready)
            ordered[done] = self._by_urn[done]
            sorter.done(done)
        return tuple((ordered | self._by_urn).values())

    def _add(self, resource: Resource) -> None:
        if resource.urn in self._by_urn:
            raise DuplicateResourceError(resource.urn)
        self._by_urn[resource.urn] = resource
        self._by_type.setdefault(resource.type, []).append(resource)
        self._by_kind.setdefault(resource.kind, []).append(resource)
        if resource.kind is not None and isinstance(resource.object_name, str):
            for place in (resource.known_namespace, _ANY):
                self._named.setdefault((resource.kind, resource.object_name, place), []).append(resource)

    def _direct(self, resource: Resource) -> list[str]:
        """What the resource itself names of the graph's resources as to be there before it."""
        named = (resource.parent, resource.provider, *resource.dependencies)
        return [urn for urn in named if urn in self._by_urn]
