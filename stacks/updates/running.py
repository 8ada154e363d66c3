"""What runs of this stack, as the state has it from the last run; every reader of before takes this."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from components.dynamo_objects import COMPONENT, GRAPH_KIND
from resource_graph import Resource
from resource_graph.engine_state import EngineRecord, records_of_outputs
from resource_graph.urns import RELEASE_TYPE, own_type
from stacks.plan.volume_sizes import size_in_gib
from stacks.updates.comparable_graph import Graph, read_graph, read_server
from stacks.updates.deployed_nodes import DeployedNodes
from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME
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
_PROVIDER = "pulumi:providers:kubernetes"
_OF_THE_PROGRAM = ("pulumi:", "dynamo-stack:")
"""How types of providers and of our components begin, which make nothing by themselves."""
# Where what fills or checks the cache names the commit: in its command, or as a path of the cache.
_REVISION = re.compile(r"(?:--revision |/snapshots/)([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class DeployedVolume:
    """The claim of the model cache."""

    size_gib: int
    storage_class_name: str
    """Empty where the stack has made the volume itself, for a file system."""
    uid: str = ""
    """The claim's identity in the cluster; empty where the state does not say."""


@dataclass(frozen=True, slots=True)
class Running:
    """Each part is empty where the state has none."""

    graphs: tuple[Graph, ...] = ()
    """One, or two after an `up` that failed between the new graph and the end of the old one."""
    volume: DeployedVolume | None = None
    revision: str | None = None
    """Commit of the model that the cache was filled with last."""
    release: Mapping[str, Any] | None = None
    """Inputs of the platform's Helm release."""
    node_groups: Mapping[str, DeployedNodes] = field(default_factory=dict[str, DeployedNodes])
    """Node groups by their names in the program."""
    creator: str | None = None
    """ARN of the IAM role or user that made the cluster; None: no entry of theirs is in the state."""
    entered_by_eks: bool = False
    """EKS itself made the creator's entry with the cluster; it stands in no state."""
    fixed: Mapping[str, object] = field(default_factory=dict[str, object])
    """The values that were fixed when the stack was created, by their settings."""
    uids: Mapping[str, str] = field(default_factory=dict[str, str])
    """URN of everything in the state -> the object's identity in the cluster; empty for what is none."""
    kubeconfig: str = ""
    """Of the cluster's provider, where the stack makes the cluster."""

    def graph_in_place_of(self, wanted: Graph) -> Graph | None:
        """Return the graph that has the wanted one's place."""
        return next((graph for graph in self.graphs if graph.has_place_of(wanted)), None)

    def graph_before(self, wanted: Graph) -> Graph | None:
        """Return the graph that becomes the wanted one: the one that has its place, else the one there is."""
        return self.graph_in_place_of(wanted) or next(iter(self.graphs), None)


_State = Mapping[tuple[str, str], EngineRecord]
"""Type and name in the program -> resource."""


def running_of(resources: Mapping[str, Mapping[str, Any]], outputs: Mapping[str, Any]) -> Running:
    """Return what the state of the last run has.

    Args:
        resources: URN -> outputs of what exists.
        outputs: the stack's.

    """
    records = records_of_outputs(resources)
    state = {(each.resource.type, each.resource.name): each for each in records}
    claim = state.get((_CLAIM, "model-cache-claim"))
    filler = (
        _inputs(state, _JOB, "model-cache-download")
        or _inputs(state, _JOB, "model-cache-check")
        or _inputs(state, _DAEMON_SET, "model-cache-copies")
    )
    entry = _inputs(state, _ENTRY, "eks-creator")
    access = mapping_in(_inputs(state, _CLUSTER, "eks"), "accessConfig")
    kubeconfig = mapping_in(_inputs(state, _PROVIDER, "cluster")).get("kubeconfig")
    # A first `up` with credentials of another account makes nothing: the account may still be corrected.
    is_made = not all(own_type(urn).startswith(_OF_THE_PROGRAM) for urn in resources)
    return Running(
        graphs=tuple(
            _graph(each) for each in records if _is_server(each) or _GRAPH.fullmatch(each.resource.type)
        ),
        volume=_volume(claim, _inputs(state, _VOLUME, "model-cache-volume")) if claim else None,
        revision=_revision(filler) if filler else None,
        release=_inputs(state, RELEASE_TYPE, "dynamo-platform"),
        node_groups=_node_groups(state),
        creator=str(entry.get("principalArn")) if entry is not None else None,
        entered_by_eks=bool(access.get("bootstrapClusterCreatorAdminPermissions")),
        fixed=mapping_in(outputs, OUTPUT_NAME) if is_made else {},
        uids={urn: str(mapping_in(found, "metadata").get("uid") or "") for urn, found in resources.items()},
        kubeconfig=kubeconfig if isinstance(kubeconfig, str) else "",
    )


def running_after(resources: Iterable[Resource], fixed: Mapping[str, object]) -> Running:
    """Return what runs once all of these are registered, with these values fixed."""
    known = {each.urn: each for each in resources}
    found: dict[str, dict[str, Any]] = {}
    for each in known.values():
        inputs = dict(each.inputs)
        if each.type == _NODE_GROUP:
            # Ids are known to the update alone; what they are of is known here.
            subnets = [urn for urn in sorted(each.property_dependencies.get("subnetIds", ())) if urn in known]
            inputs |= {"subnetIds": subnets} if subnets else {}
        found[each.urn] = {"__inputs": inputs}
    # What only the update knows is of no interest to an update.
    return running_of(json.loads(json.dumps(found, default=str)), {OUTPUT_NAME: fixed})


def _inputs(state: _State, of_type: str, name: str) -> Mapping[str, Any] | None:
    """Return the inputs of the last run, without additions of the server and its webhooks."""
    found = state.get((of_type, name))
    return found.inputs if found else None


def _node_groups(state: _State) -> dict[str, DeployedNodes]:
    groups = {name: each.inputs for (of_type, name), each in state.items() if of_type == _NODE_GROUP}
    subnets = (each for (of_type, _), each in state.items() if of_type == _SUBNET)
    zones = {
        # A running program is told no ids, and an ARN ends with one.
        str(each.outputs.get("arn") or "").rpartition("/")[2] or each.resource.urn: str(
            each.inputs.get("availabilityZone")
        )
        for each in subnets
    }
    return {
        name: DeployedNodes(
            group,
            _inputs(state, _TEMPLATE, f"{name}-template") or {},
            zones.get(str(next(iter(group.get("subnetIds") or ()), None))),
            waited=(_SCHEDULE, f"{name}-window-opens") in state,
            running=int(mapping_in(group, "scalingConfig").get("desiredSize") or 0),
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
