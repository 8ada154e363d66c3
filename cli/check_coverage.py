"""The objects that were read, and those that no rule or schema knows: a pass says nothing of them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.objects.definitions import has_schema
from rules.reading.pods.pods import read_pods

_OF_PULUMI = ("pulumi:", "pulumi-python:")
"""Begins what is in no cluster and no account: providers, and code of the program's own."""
_OF_KUSTOMIZE = "kustomize.config.k8s.io/"
"""Begins the API version of a list of files, such as `render --to` writes; no API server ever sees it."""
_OF_WORKLOADS = frozenset({"containers", "image", "minReplicas", "replicas"})


class WatchedGraph(ResourceGraph):
    """The graph, which also remembers the kinds and types that rules asked for by name."""

    def __init__(self, graph: ResourceGraph) -> None:
        super().__init__(graph, graph.lacks)
        self._asked: set[str | None] = set()

    def of_type(self, resource_type: str) -> Sequence[Resource]:
        """Return the graph's resources of a type, and remember the type."""
        self._asked.add(resource_type)
        return super().of_type(resource_type)

    def kubernetes_objects(self, kind: str | None = None) -> Sequence[Resource]:
        """Return the graph's Kubernetes objects of a kind, and remember the kind."""
        # A rule that takes objects of any kind looks at what all have, and so at no kind in particular.
        if kind is not None:
            self._asked.add(kind)
        return super().kubernetes_objects(kind)

    def kubernetes_objects_named(self, kind: str, name: str, namespace: Value) -> Sequence[Resource]:
        """Return the graph's Kubernetes objects of a kind and name, and remember the kind."""
        self._asked.add(kind)
        return super().kubernetes_objects_named(kind, name, namespace)

    def unasked(self) -> list[Resource]:
        """The resources of kinds that no rule asked for, and that no schema knows."""
        return [
            resource
            for resource in _counted(self)
            if not {resource.kind, resource.type} & (self._asked - {None})
            and (resource.kind is None or not has_schema(resource))
        ]

    def is_understood(self) -> bool:
        """Whether anything at all of it was judged, and a workload of it where it has any."""
        unasked = self.unasked()
        if len(unasked) == len(_counted(self)):
            return False
        # A Service or a ConfigMap that was judged is no verdict on what runs beside it.
        runs_unjudged = any(_runs_pods(each.inputs) for each in unasked if each.kind is not None)
        return not runs_unjudged or any(True for _ in read_pods(self))

    def unasked_kinds(self) -> dict[str, int]:
        """How many Kubernetes objects of each kind no rule asked for and no schema knows."""
        return count_kinds([resource for resource in self.unasked() if resource.kind is not None])


def kinds_read(graph: ResourceGraph) -> dict[str, int]:
    """How many of each kind; for what is no Kubernetes object, of each Pulumi type."""
    return count_kinds(_counted(graph))


def count_kinds(resources: Sequence[Resource]) -> dict[str, int]:
    """How many of each kind or type."""
    kinds = Counter(resource.kind or resource.type.rpartition(":")[2] for resource in resources)
    return dict(sorted(kinds.items()))


def _runs_pods(value: Value) -> bool:
    """Whether an object of an unknown kind names what only a workload names."""
    if isinstance(value, Mapping):
        return not _OF_WORKLOADS.isdisjoint(value) or any(map(_runs_pods, value.values()))
    return isinstance(value, list) and any(map(_runs_pods, value))


def _counted(graph: ResourceGraph) -> list[Resource]:
    return [
        resource
        for resource in graph
        if resource.custom
        and not resource.type.startswith(_OF_PULUMI)
        and not (resource.api_version or "").startswith(_OF_KUSTOMIZE)
    ]
