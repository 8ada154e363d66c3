"""What `dynamo-stack check --file` judges, and the objects among it that no rule or schema knows."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from hardware import INSTANCE_TYPES
from operations.errors import CommandError
from resource_graph import Resource, ResourceGraph, Value
from resource_graph.engine_state import looks_like_state, state_graph
from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from resource_graph.spelling import most_alike
from rules.reading.objects.definitions import has_schema
from rules.reading.pods.pods import Unreadable, read_pods
from rules.reading.pools import pool_resource
from rules.reading.releases import platform_resource

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?")
_NODES = re.compile(r"[1-9][0-9]{0,4}")


def read_files(paths: Sequence[Path], pools: Sequence[str], platform: str | None = None) -> ResourceGraph:
    """The objects of the files, and the pools and platform that a person named beside them.

    The files are manifests, read as one set, or one file that `pulumi stack export` wrote.

    Raises:
        CommandError: a pool or the version cannot be read, or a state is not the only file.
        InputError: a file cannot be read, or not as manifests or as the state that it is.
    """
    named = read_pools(pools)
    if platform is not None:
        if not _VERSION.fullmatch(platform):
            raise CommandError(
                f"--platform {platform}\n  {platform!r} is no release of the platform\n"
                "  allowed: a version of two or three numbers\n  try: --platform 1.2.1"
            )
        named.append(platform_resource(platform))
    files = read_inputs(paths)
    states = [file for file in files if looks_like_state(file[1])]
    if states and len(paths) > 1:
        raise CommandError(
            f"{states[0][0]} is a stack's state, which is judged alone; leave the other files out"
        )
    graph = state_graph(states[0]) if states else manifest_graph(files)
    return ResourceGraph([*named, *graph], graph.lacks)


def read_pools(options: Sequence[str]) -> list[Resource]:
    """The pools that `--pool TYPE=NODES` names; a type can be named again for a pool of its own."""
    pools: list[Resource] = []
    for option in options:
        instance_type, nodes = _pool(option)
        earlier = sum(pool.inputs["instanceType"] == instance_type for pool in pools)
        name = instance_type if not earlier else f"{instance_type}-{earlier + 1}"
        pools.append(pool_resource(name, instance_type, nodes))
    return pools


_OF_PULUMI = ("pulumi:", "pulumi-python:")
"""Begins what is in no cluster and no account: providers, and code of the program's own."""
_OF_KUSTOMIZE = "kustomize.config.k8s.io/"
"""Begins the API version of a list of files, such as `render --to` writes; no API server ever sees it."""
_KNOWN_GROUPS = ("k8s.io", "nvidia.com")
"""Ends of the API groups of Kubernetes, of its special interest groups, and of the Dynamo platform."""
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
            if resource.type not in self._asked
            and (resource.kind is None or not (has_schema(resource) or self._is_asked(resource)))
        ]

    def is_understood(self) -> bool:
        """Whether anything at all of it was judged, and a workload of it where it has any."""
        unasked = self.unasked()
        if len(unasked) == len(_counted(self)):
            return False
        # A Service or a ConfigMap that was judged is no verdict on what runs beside it.
        runs_unjudged = any(_runs_pods(each.inputs) for each in unasked if each.kind is not None)
        return not runs_unjudged or bool(self._with_pods)

    def kinds_read(self) -> dict[str, int]:
        """How many of each kind; for what is no Kubernetes object, of each Pulumi type."""
        return self._count(_counted(self))

    def kinds_not_judged(self) -> dict[str, int]:
        """How many of each kind or type that no rule asked for, and that no schema knows."""
        return self._count(self.unasked())

    def _is_asked(self, resource: Resource) -> bool:
        """Whether rules asked for its kind and mean this one, or read its pods all the same."""
        is_meant = not _group_of_others(resource) or resource.urn in self._with_pods
        return is_meant and resource.kind in self._asked

    @cached_property
    def _with_pods(self) -> set[str]:
        """URNs of the objects whose pods stand where rules look for them."""
        pods = read_pods(self)
        return {each.resource.urn for each in pods if isinstance(each, Unreadable) or each.spec}

    def _count(self, resources: Sequence[Resource]) -> dict[str, int]:
        return dict(sorted(Counter(map(self._kind_name, resources)).items()))

    def _kind_name(self, resource: Resource) -> str:
        """Its kind or type; with the group, as kubectl writes it, where rules mean another by the kind."""
        group = _group_of_others(resource) if resource.kind in self._asked else ""
        return (resource.kind or resource.type.rpartition(":")[2]) + (group and f".{group}")


def _pool(option: str) -> tuple[str, int]:
    name, _, nodes = option.partition("=")
    known = sorted(INSTANCE_TYPES)
    if name not in INSTANCE_TYPES or not _NODES.fullmatch(nodes):
        count = nodes if _NODES.fullmatch(nodes) else 1
        raise CommandError(
            f"--pool {option}\n  allowed: TYPE=NODES, where TYPE is one of {', '.join(known)}, and NODES a "
            f"whole number from 1 to 99999\n  try: --pool {most_alike(name, known, 0.0)}={count}"
        )
    return name, int(nodes)


def _runs_pods(value: Value) -> bool:
    """Whether an object of an unknown kind names what only a workload names."""
    if isinstance(value, Mapping):
        return not _OF_WORKLOADS.isdisjoint(value) or any(map(_runs_pods, value.values()))
    return isinstance(value, list) and any(map(_runs_pods, value))


def _group_of_others(resource: Resource) -> str:
    """Its API group; empty where that is of Kubernetes or NVIDIA, whose kinds the rules mean.

    Knative has a Service of its own, and Volcano a Job, whose pods stand elsewhere.
    """
    group = (resource.api_version or "").rpartition("/")[0]
    return "" if "." not in group or group.endswith(_KNOWN_GROUPS) else group


def _counted(graph: ResourceGraph) -> list[Resource]:
    return [
        resource
        for resource in graph
        if resource.custom
        and not resource.type.startswith(_OF_PULUMI)
        and not (resource.api_version or "").startswith(_OF_KUSTOMIZE)
    ]
