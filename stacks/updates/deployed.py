"""The parts of this stack that exist, as the state has them from the last run, and who made its cluster."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from components.dynamo_objects import COMPONENT, GRAPH_KIND
from resource_graph import Resource
from resource_graph.engine_state import EngineRecord, records_of_outputs
from resource_graph.urns import RELEASE_TYPE
from stacks.plan.volume_sizes import size_in_gib
from stacks.updates.comparable_graph import Graph, read_graph, read_server
from stacks.updates.deployed_nodes import DeployedNodes, deployed_nodes
from stacks.updates.nested_values import mapping_in

_GRAPH = re.compile(rf"kubernetes:nvidia\.com/[^:]+:{GRAPH_KIND}")
_SERVER = "kubernetes:apps/v1:Deployment"
_CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
_VOLUME = "kubernetes:core/v1:PersistentVolume"
_DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
_JOB = "kubernetes:batch/v1:Job"
_NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
_SUBNET = "aws:ec2/subnet:Subnet"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_SCHEDULE = "aws:autoscaling/schedule:Schedule"
_CLUSTER = "aws:eks/cluster:Cluster"
_ENTRY = "aws:eks/accessEntry:AccessEntry"
# Where what fills or checks the cache names the commit: in its command, or as a path of the cache.
_REVISION = re.compile(r"(?:--revision |/snapshots/)([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class Creator:
    """Principal that made the cluster, as far as the state tells."""

    arn: str | None = None
    """The IAM role or user; None: no entry of theirs is in the state."""
    entered_by_eks: bool = False
    """EKS itself made the entry with the cluster; it stands in no state."""
    makes_it_now: bool = False
    """The cluster is new, and this run creates it."""


UNKNOWN_CREATOR = Creator()
"""Nobody can be asked: the program runs without an account."""


@dataclass(frozen=True, slots=True)
class DeployedVolume:
    """The claim of the model cache."""

    size_gib: int
    storage_class_name: str
    """Empty where the stack has made the volume itself, for a file system."""
    uid: str = ""
    """The claim's identity in the cluster; empty where the state does not say."""


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
    """Node groups by their names in the program."""
    creator: Creator = UNKNOWN_CREATOR
    """Who made the cluster."""

    def graph_before(self, wanted: Graph) -> Graph | None:
        """Return the graph that becomes the wanted one: the one that has its place, else the one there is."""
        in_its_place = [graph for graph in self.graphs if graph.has_place_of(wanted)]
        return next(iter([*in_its_place, *self.graphs]), None)


_State = Mapping[tuple[str, str], EngineRecord]
"""Type and name in the program -> resource."""


def deployed(resources: Mapping[str, Mapping[str, Any]]) -> Deployed:
    """Return what exists, by URN -> outputs, as the state has them."""
    records = records_of_outputs(resources)
    state = {(each.resource.type, each.resource.name): each for each in records}
    claim = state.get((_CLAIM, "model-cache-claim"))
    filler = (
        _inputs(state, _JOB, "model-cache-download")
        or _inputs(state, _JOB, "model-cache-check")
        or _inputs(state, _DAEMON_SET, "model-cache-copies")
    )
    release = _inputs(state, RELEASE_TYPE, "dynamo-platform")
    return Deployed(
        graphs=tuple(
            _graph(each) for each in records if _is_server(each) or _GRAPH.fullmatch(each.resource.type)
        ),
        volume=_volume(claim, _inputs(state, _VOLUME, "model-cache-volume")) if claim else None,
        revision=_revision(filler) if filler else None,
        release=DeployedRelease(str(release.get("version")), mapping_in(release, "values"))
        if release
        else None,
        node_groups=_node_groups(state),
        creator=_creator(_inputs(state, _CLUSTER, "eks"), _inputs(state, _ENTRY, "eks-creator")),
    )


def state_of(resources: Iterable[Resource]) -> Deployed:
    """Return what exists once all of these do."""
    known = {each.urn: each for each in resources}
    outputs: dict[str, dict[str, Any]] = {}
    for each in known.values():
        inputs = dict(each.inputs)
        if each.type == _NODE_GROUP:
            # Ids are known to the update alone; what they are of is known here.
            subnets = [urn for urn in sorted(each.property_dependencies.get("subnetIds", ())) if urn in known]
            inputs |= {"subnetIds": subnets} if subnets else {}
        outputs[each.urn] = {"__inputs": inputs}
    # What only the update knows is of no interest to an update.
    return deployed(json.loads(json.dumps(outputs, default=str)))


def _inputs(state: _State, of_type: str, name: str) -> Mapping[str, Any] | None:
    """Return the inputs of the last run, without additions of the server and its webhooks."""
    found = state.get((of_type, name))
    return found.inputs if found else None


def _node_groups(state: _State) -> dict[str, DeployedNodes]:
    groups = {name: each for (of_type, name), each in state.items() if of_type == _NODE_GROUP}
    subnets = (each for (of_type, _), each in state.items() if of_type == _SUBNET)
    zones = {
        # A running program is told no ids, and an ARN ends with one.
        str(each.outputs.get("arn") or "").rpartition("/")[2] or each.resource.urn: str(
            each.inputs.get("availabilityZone")
        )
        for each in subnets
    }
    return {
        name: deployed_nodes(
            group.inputs,
            _inputs(state, _TEMPLATE, f"{name}-template") or {},
            zones,
            waited=(_SCHEDULE, f"{name}-window-opens") in state,
        )
        for name, group in groups.items()
    }


def _is_server(record: EngineRecord) -> bool:
    """Whether it serves without Dynamo; the Deployments that wait for nodes have no such label."""
    labels = mapping_in(record.inputs, "spec", "template", "metadata", "labels")
    return record.resource.type == _SERVER and COMPONENT in labels


def _graph(record: EngineRecord) -> Graph:
    metadata = mapping_in(record.inputs, "metadata")
    name, namespace = str(metadata.get("name")), str(metadata.get("namespace"))
    read = read_server if record.resource.type == _SERVER else read_graph
    return read(name, namespace, mapping_in(record.inputs, "spec"), record.resource.urn)


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


def _creator(cluster: Mapping[str, Any] | None, entry: Mapping[str, Any] | None) -> Creator:
    if entry is not None:
        return Creator(arn=str(entry.get("principalArn")))
    access = mapping_in(cluster, "accessConfig")
    if access.get("bootstrapClusterCreatorAdminPermissions"):
        return Creator(entered_by_eks=True)
    return Creator(makes_it_now=True)
