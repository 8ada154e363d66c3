"""What of this stack exists, as the state has it from the last run."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from resource_graph.engine_state import EngineRecord, records_of_outputs
from resource_graph.urns import RELEASE_TYPE
from stacks.plan.volume_sizes import size_in_gib
from stacks.updates.creator import UNKNOWN_CREATOR, Creator, creator_of
from stacks.updates.graph import Graph, read_graph
from stacks.updates.nested import mapping_in
from stacks.updates.node_groups import DeployedNodes, deployed_nodes

_GRAPH = re.compile(r"kubernetes:nvidia\.com/[^:]+:DynamoGraphDeployment")
_CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
_VOLUME = "kubernetes:core/v1:PersistentVolume"
_DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
_JOB = "kubernetes:batch/v1:Job"
_NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_SCHEDULE = "aws:autoscaling/schedule:Schedule"
_CLUSTER = "aws:eks/cluster:Cluster"
_ENTRY = "aws:eks/accessEntry:AccessEntry"
# Where what fills or checks the cache names the commit: in its command, or as a path of the cache.
_REVISION = re.compile(r"(?:--revision |/snapshots/)([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class DeployedVolume:
    """The claim of the model cache."""

    size_gib: int
    storage_class_name: str
    """Empty where the stack has made the volume itself, for a file system."""
    uid: str = ""
    """Of the claim, as the cluster had it; empty where the state does not say."""


@dataclass(frozen=True, slots=True)
class DeployedRelease:
    """The platform's Helm release."""

    version: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Deployed:
    """Each part is empty where the state has none."""

    graphs: tuple[Graph, ...] = ()
    """One, or two after an `up` that failed between the new graph and the end of the old one."""
    volume: DeployedVolume | None = None
    revision: str | None = None
    """Commit of the model that the cache was filled with last."""
    release: DeployedRelease | None = None
    node_groups: Mapping[str, DeployedNodes] = field(default_factory=dict[str, DeployedNodes])
    """By their names in the program."""
    creator: Creator = UNKNOWN_CREATOR
    """Of the cluster."""

    def graph_before(self, wanted: Graph) -> Graph | None:
        """Return the graph that becomes the wanted one: the one that has its place, else the one there is."""
        in_its_place = [graph for graph in self.graphs if graph.has_place_of(wanted)]
        return next(iter([*in_its_place, *self.graphs]), None)


def deployed(resources: Mapping[str, Mapping[str, Any]]) -> Deployed:
    """Return what exists.

    Args:
        resources: URN -> outputs, as the state has them.

    """
    state = _State(records_of_outputs(resources))
    claim, volume = state.find(_CLAIM, "model-cache-claim"), state.inputs(_VOLUME, "model-cache-volume")
    filler = (
        state.inputs(_JOB, "model-cache-download")
        or state.inputs(_JOB, "model-cache-check")
        or state.inputs(_DAEMON_SET, "model-cache-copies")
    )
    release = state.inputs(RELEASE_TYPE, "dynamo-platform")
    return Deployed(
        graphs=tuple(_graph(each) for each in state.records if _GRAPH.fullmatch(each.resource.type)),
        volume=_volume(claim, volume) if claim else None,
        revision=_revision(filler) if filler else None,
        release=_release(release) if release else None,
        node_groups=_node_groups(state),
        creator=creator_of(state.inputs(_CLUSTER, "eks"), state.inputs(_ENTRY, "eks-creator")),
    )


@dataclass(frozen=True, slots=True)
class _State:
    records: tuple[EngineRecord, ...]

    def find(self, of_type: str, name: str) -> EngineRecord | None:
        wanted = (of_type, name)
        found = (each for each in self.records if (each.resource.type, each.resource.name) == wanted)
        return next(found, None)

    def inputs(self, of_type: str, name: str) -> Mapping[str, Any] | None:
        """What the last run asked for, without what the server and its webhooks have added."""
        found = self.find(of_type, name)
        return found.inputs if found else None


def _node_groups(state: _State) -> dict[str, DeployedNodes]:
    groups = {each.resource.name: each for each in state.records if each.resource.type == _NODE_GROUP}
    return {
        name: deployed_nodes(
            group.inputs,
            state.inputs(_TEMPLATE, f"{name}-template") or {},
            waited=state.find(_SCHEDULE, f"{name}-window-opens") is not None,
        )
        for name, group in groups.items()
    }


def _graph(record: EngineRecord) -> Graph:
    metadata = mapping_in(record.inputs, "metadata")
    name, namespace = str(metadata.get("name")), str(metadata.get("namespace"))
    return read_graph(name, namespace, mapping_in(record.inputs, "spec"), record.resource.urn)


def _volume(claim: EngineRecord, volume: Mapping[str, Any] | None) -> DeployedVolume | None:
    spec = mapping_in(claim.inputs, "spec")
    # A file system grows, and its claim asks for what it had at first.
    asked = mapping_in(volume, "spec", "capacity") if volume else mapping_in(spec, "resources", "requests")
    size = str(asked.get("storage"))
    if re.fullmatch(r"[0-9]+[GT]i", size) is None:
        return None
    uid = mapping_in(claim.outputs, "metadata").get("uid")
    return DeployedVolume(size_in_gib(size), str(spec.get("storageClassName", "")), str(uid or ""))


def _revision(inputs: Mapping[str, Any]) -> str | None:
    found = _REVISION.search(json.dumps(mapping_in(inputs, "spec"), default=str))
    return found[1] if found else None


def _release(inputs: Mapping[str, Any]) -> DeployedRelease:
    return DeployedRelease(str(inputs.get("version")), mapping_in(inputs, "values"))
