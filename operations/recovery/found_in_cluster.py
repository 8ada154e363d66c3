"""What exists of a stack in the cluster, whether its state knows it or not: what an interrupted run left."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from components.cluster_answer import Objects
from components.cluster_reader import ClusterReader
from components.dynamo_objects import (
    GRAPH_KIND,
    GRAPH_NAME,
    GRAPH_OBJECTS,
    PART_OBJECTS,
    kind_named,
    why_unconverted,
)
from components.object_owner import managed_fields, owner_of
from operations.commands import ClusterCommands, PulumiCommand, refuse_other_cluster
from operations.project import recorded_stack
from operations.recovery.stack_state import CREATE_MANAGER, ClusterObject, read_state, recorded
from resource_graph import Resource, ResourceGraph
from resource_graph.engine_state import Deployment
from resource_graph.urns import RELEASE_TYPE
from stacks.plan.platform.platform_plan import RELEASE_NAME
from stacks.plan.stack_plan import StackPlan

NO_FIELDS = {"f:metadata": {"f:annotations": {"f:dynamo-stack/recovering": {}}}}
"""A field that nobody sets: the only one that the create of an object still owns while `up` takes it over."""
# States that helm leaves when its work is over.
UNFINISHED = frozenset({"pending-install", "pending-upgrade", "pending-rollback", "uninstalling"})
# Deleted with a release, each of these takes data along, or every object of its kind.
_HOLDING = frozenset({"PersistentVolumeClaim", "PersistentVolume", "CustomResourceDefinition", "Namespace"})


@dataclass(frozen=True)
class HelmRelease:
    """The stack's release as Helm records it."""

    resource: Resource
    """The program's."""
    name: str
    namespace: str
    status: str | None = None
    """Helm's word for the newest revision; None: there is no such release."""
    chart: str = ""
    """Chart with its version, as Helm writes it: dynamo-platform-1.2.1."""
    last_deployed: int | None = None
    """The revision that ran before the interrupted one."""
    holds: tuple[str, ...] = ()
    """Objects in its manifest that hold data and that an uninstall would delete."""
    graphs: tuple[str, ...] = ()
    """Graphs in the cluster, `namespace/name`, that its operator looks after; also those that are gone and
    have left parts."""

    def __str__(self) -> str:
        return f"Helm release {self.namespace}/{self.name}"

    @property
    def is_stuck(self) -> bool:
        """Whether an interrupted helm holds it."""
        return self.status in UNFINISHED

    @property
    def is_of_wanted_chart(self) -> bool:
        """Whether it was installed from a chart of the name that the program installs."""
        wanted = str(self.resource.inputs.get("chart", "")).rpartition("/")[2]
        return self.chart.startswith(f"{wanted}-")


@dataclass(frozen=True)
class Leftovers:
    """Everything that a recovery has to know, and what may still be missing."""

    state: Deployment
    """Of what is in the cluster."""
    release: HelmRelease | None
    """Helm release of the platform; None where the platform is not this stack's own."""
    objects: tuple[ClusterObject, ...]
    """The program's objects that exist."""
    graph_to_come: str | None = None
    """The program's graph, where the state has none of any name: no `up` has got that far."""
    operator_answers: bool = True
    """Whether graphs can be changed and deleted: without the operator they can only be read."""

    @property
    def unrecorded(self) -> tuple[ClusterObject, ...]:
        """The objects that the state does not know."""
        known = recorded(self.state)
        return tuple(each for each in self.objects if (each.urn, each.id) not in known)

    @property
    def release_is_unrecorded(self) -> bool:
        """Whether it is installed and the state does not know it."""
        known = {urn for urn, _ in recorded(self.state)}
        release = self.release
        return release is not None and release.status is not None and release.resource.urn not in known

    @property
    def was_creating(self) -> frozenset[str]:
        """URNs of what was being created."""
        pending = self.state.pending_operations
        return frozenset(each.resource.urn for each in pending if each.type == "creating")


def existing_objects(graph: ResourceGraph, cluster: ClusterCommands) -> Iterator[ClusterObject]:
    """The program's objects that exist under their fixed names."""
    for wanted in graph.kubernetes_objects():
        kind, name = str(wanted.kind), str(wanted.object_name)
        namespace = wanted.namespace if isinstance(wanted.namespace, str) else None
        for live in cluster.found(Objects(kind_named(kind), name, namespace)):
            entries, owner = managed_fields(live), owner_of(live)
            yield ClusterObject(
                urn=wanted.urn,
                api_version=_readable_version(wanted, cluster),
                kind=kind,
                namespace=namespace,
                name=name,
                managers=tuple(dict.fromkeys(str(entry["manager"]) for entry in entries)),
                create_entry=_create_entry(entries),
                is_terminating="deletionTimestamp" in live["metadata"],
                other_owner=None if owner == owner_of(wanted.inputs) else owner,
            )


def operator_answers(cluster: ClusterReader) -> bool:
    """Whether the operator converts graphs for those who ask for another version than the stored one.

    Without it no graph can be changed or deleted, and Pulumi cannot read one of another version. Parts may
    be left of a graph that is gone, whose finalizers nobody else removes.
    """
    for kind in (GRAPH_OBJECTS, PART_OBJECTS):
        for item in cluster.ask(kind).items[:1]:
            metadata = item["metadata"]
            # One object and no list: the API server may answer a list from what was converted before.
            return not why_unconverted(cluster, metadata["namespace"], metadata["name"], kind)
    return True


def read_release(stack: StackPlan, graph: ResourceGraph, cluster: ClusterCommands) -> HelmRelease | None:
    """The stack's release, None where its platform is somebody else's."""
    resource = next(iter(graph.of_type(RELEASE_TYPE)), None)
    if resource is None or stack.platform is None:
        return None
    name, namespace = RELEASE_NAME, stack.platform.namespace
    answer = cluster.run("helm", "history", name, "--namespace", namespace, "--output", "json")
    if answer.returncode != 0 and "release: not found" in answer.stderr:
        return HelmRelease(resource, name, namespace)
    if answer.returncode != 0:
        raise cluster.failure(answer, "helm", "history", name, "--namespace", namespace)
    revisions: list[Mapping[str, Any]] = json.loads(answer.stdout)
    newest = max(revisions, key=lambda revision: revision["revision"])
    ran = [each["revision"] for each in revisions if each["status"] in {"deployed", "superseded"}]
    return HelmRelease(
        resource,
        name,
        namespace,
        status=newest["status"],
        chart=str(newest.get("chart", "")),
        last_deployed=max(ran, default=None),
        holds=_data_in_release(name, namespace, cluster),
        graphs=_graphs(cluster),
    )


def read_leftovers(stack: StackPlan, pulumi: PulumiCommand, cluster: ClusterCommands) -> Leftovers:
    """Return what an interrupted run left.

    Raises:
        CommandError: something cannot be read.
        SettingsError: the kubeconfig does not lead to the cluster that the settings mean.
    """
    state = read_state(pulumi)
    refuse_other_cluster(stack)
    cluster.require_answer()
    graph = recorded_stack(stack)
    has_graph = any(f":{GRAPH_KIND}::" in urn for urn, _ in recorded(state))
    to_come = None if has_graph else next(iter(graph.kubernetes_objects(GRAPH_KIND)), None)
    return Leftovers(
        state=state,
        release=read_release(stack, graph, cluster),
        objects=tuple(existing_objects(graph, cluster)),
        graph_to_come=to_come.name if to_come else None,
        operator_answers=operator_answers(cluster),
    )


def _readable_version(wanted: Resource, cluster: ClusterReader) -> str:
    """Return a graph's version that can be read without its operator; of anything else the program's."""
    stored = cluster.stored_version(GRAPH_OBJECTS) if wanted.kind == GRAPH_KIND else None
    version = str(wanted.api_version)
    return f"{version.partition('/')[0]}/{stored}" if stored else version


def _graphs(cluster: ClusterCommands) -> tuple[str, ...]:
    """Every graph, and every one that is gone and has left parts whose finalizers its operator removes."""
    graphs, parts = (
        [item["metadata"] for item in cluster.found(Objects(kind))] for kind in (GRAPH_OBJECTS, PART_OBJECTS)
    )
    names = [f"{each['namespace']}/{each['name']}" for each in graphs]
    names += [f"{each['namespace']}/{each.get('labels', {}).get(GRAPH_NAME, each['name'])}" for each in parts]
    return tuple(dict.fromkeys(names))


def _create_entry(entries: Sequence[Mapping[str, Any]]) -> int | None:
    places = [index for index, entry in enumerate(entries) if entry["manager"] == CREATE_MANAGER]
    # A server keeps the last entry there is, whatever it is told.
    if not places or len(entries) == 1 or entries[places[0]].get("fieldsV1") == NO_FIELDS:
        return None
    return places[0]


def _data_in_release(name: str, namespace: str, cluster: ClusterCommands) -> tuple[str, ...]:
    # The claims that a StatefulSet makes from its templates are in no manifest: no uninstall deletes them.
    manifest = cluster.printed("helm", "get", "manifest", name, "--namespace", namespace)
    return tuple(
        f"{document['kind']} {document['metadata']['name']}"
        for document in yaml.safe_load_all(manifest)
        if isinstance(document, dict) and document.get("kind") in _HOLDING
        if (document["metadata"].get("annotations") or {}).get("helm.sh/resource-policy") != "keep"
    )
