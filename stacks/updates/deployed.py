"""What of this stack exists, as the state has it from the last run."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stacks.plan.cache import size_in_gib
from stacks.updates.creator import UNKNOWN_CREATOR, Creator, creator_of
from stacks.updates.graph import Graph, read_graph
from stacks.updates.nested import mapping_in
from stacks.updates.node_groups import DeployedNodes, deployed_nodes

_GRAPH = re.compile(r"kubernetes:nvidia\.com/[^:]+:DynamoGraphDeployment")
_CLAIM = re.compile(r"kubernetes:core/v1:PersistentVolumeClaim")
_VOLUME = re.compile(r"kubernetes:core/v1:PersistentVolume")
_DAEMON_SET = re.compile(r"kubernetes:apps/v1:DaemonSet")
_JOB = re.compile(r"kubernetes:batch/v1:Job")
_NODE_GROUP = re.compile(r"aws:eks/nodeGroup:NodeGroup")
_TEMPLATE = re.compile(r"aws:ec2/launchTemplate:LaunchTemplate")
_SCHEDULE = re.compile(r"aws:autoscaling/schedule:Schedule")
_CLUSTER = re.compile(r"aws:eks/cluster:Cluster")
_ENTRY = re.compile(r"aws:eks/accessEntry:AccessEntry")
_RELEASE = re.compile(r"kubernetes:helm\.sh/v3:Release")
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
    claim, live_claim = _both(resources, _CLAIM, "model-cache-claim")
    volume = _named(resources, _VOLUME, "model-cache-volume")
    filler = (
        _named(resources, _JOB, "model-cache-download")
        or _named(resources, _JOB, "model-cache-check")
        or _named(resources, _DAEMON_SET, "model-cache-copies")
    )
    release = _named(resources, _RELEASE, "dynamo-platform")
    return Deployed(
        graphs=tuple(_graph(urn, _applied(resources[urn])) for urn in resources if _is_a(urn, _GRAPH)),
        volume=_volume(claim, volume, str(mapping_in(live_claim, "metadata").get("uid") or ""))
        if claim
        else None,
        revision=_revision(filler) if filler else None,
        release=_release(release) if release else None,
        node_groups=_node_groups(resources),
        creator=creator_of(_named(resources, _CLUSTER, "eks"), _named(resources, _ENTRY, "eks-creator")),
    )


def _node_groups(resources: Mapping[str, Mapping[str, Any]]) -> dict[str, DeployedNodes]:
    groups = {
        urn.split("::", 3)[3]: _applied(found) for urn, found in resources.items() if _is_a(urn, _NODE_GROUP)
    }
    return {
        name: deployed_nodes(
            group,
            _named(resources, _TEMPLATE, f"{name}-template") or {},
            waited=_named(resources, _SCHEDULE, f"{name}-window-opens") is not None,
        )
        for name, group in groups.items()
    }


def _is_a(urn: str, kind: re.Pattern[str]) -> bool:
    return kind.fullmatch(urn.split("::", 3)[2].rpartition("$")[2]) is not None


def _named(
    resources: Mapping[str, Mapping[str, Any]], kind: re.Pattern[str], name: str
) -> Mapping[str, Any] | None:
    return _both(resources, kind, name)[0]


def _both(
    resources: Mapping[str, Mapping[str, Any]], kind: re.Pattern[str], name: str
) -> tuple[Mapping[str, Any] | None, Mapping[str, Any]]:
    """What the last run asked for, and what the cluster then had."""
    found = (urn for urn in resources if _is_a(urn, kind) and urn.split("::", 3)[3] == name)
    urn = next(found, None)
    return (_applied(resources[urn]), resources[urn]) if urn else (None, {})


def _applied(outputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the last run asked for, without what the server and its webhooks have added."""
    # The provider keeps it beside the live object.
    return mapping_in(outputs, "__inputs") or outputs


def _graph(urn: str, inputs: Mapping[str, Any]) -> Graph:
    metadata = mapping_in(inputs, "metadata")
    name, namespace = str(metadata.get("name")), str(metadata.get("namespace"))
    return read_graph(name, namespace, mapping_in(inputs, "spec"), urn)


def _volume(claim: Mapping[str, Any], volume: Mapping[str, Any] | None, uid: str) -> DeployedVolume | None:
    spec = mapping_in(claim, "spec")
    # A file system grows, and its claim asks for what it had at first.
    asked = mapping_in(volume, "spec", "capacity") if volume else mapping_in(spec, "resources", "requests")
    size = str(asked.get("storage"))
    if re.fullmatch(r"[0-9]+[GT]i", size) is None:
        return None
    return DeployedVolume(size_in_gib(size), str(spec.get("storageClassName", "")), uid)


def _revision(inputs: Mapping[str, Any]) -> str | None:
    found = _REVISION.search(json.dumps(mapping_in(inputs, "spec"), default=str))
    return found[1] if found else None


def _release(inputs: Mapping[str, Any]) -> DeployedRelease:
    return DeployedRelease(str(inputs.get("version")), mapping_in(inputs, "values"))
