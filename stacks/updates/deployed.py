"""What of this stack exists, as the state has it from the last run."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stacks.cache import size_in_gib
from stacks.updates.graph import Graph, read_graph
from stacks.updates.nested import mapping_in

_GRAPH = re.compile(r"kubernetes:nvidia\.com/[^:]+:DynamoGraphDeployment")
_CLAIM = re.compile(r"kubernetes:core/v1:PersistentVolumeClaim")
_JOB = re.compile(r"kubernetes:batch/v1:Job")
_RELEASE = re.compile(r"kubernetes:helm\.sh/v3:Release")
# Where a Job that fills or checks the cache names the commit: in its command, or as a path of the cache.
_REVISION = re.compile(r"(?:--revision |/snapshots/)([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class DeployedVolume:
    """The claim of the model cache."""

    size_gib: int
    storage_class_name: str


@dataclass(frozen=True, slots=True)
class DeployedRelease:
    """The platform's Helm release."""

    version: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Deployed:
    """Each part is None where the state has none."""

    graph: Graph | None = None
    volume: DeployedVolume | None = None
    revision: str | None = None
    """Commit of the model that the cache was filled with last."""
    release: DeployedRelease | None = None


def deployed(resources: Mapping[str, Mapping[str, Any]]) -> Deployed:
    """Return what exists.

    Args:
        resources: URN -> outputs, as the state has them.

    """
    graph = _applied(resources, _GRAPH, "graph")
    claim = _applied(resources, _CLAIM, "model-cache-claim")
    job = _applied(resources, _JOB, "model-cache-download") or _applied(resources, _JOB, "model-cache-check")
    release = _applied(resources, _RELEASE, "dynamo-platform")
    return Deployed(
        graph=_graph(graph) if graph else None,
        volume=_volume(claim) if claim else None,
        revision=_revision(job) if job else None,
        release=_release(release) if release else None,
    )


def _applied(
    resources: Mapping[str, Mapping[str, Any]], kind: re.Pattern[str], name: str
) -> Mapping[str, Any] | None:
    """Return what the last run asked for, without what the server and its webhooks have added."""
    for urn, outputs in resources.items():
        parts = urn.split("::", 3)
        if parts[-1] == name and kind.fullmatch(parts[-2].rpartition("$")[2]):
            # The provider keeps it beside the live object.
            return mapping_in(outputs, "__inputs") or outputs
    return None


def _graph(inputs: Mapping[str, Any]) -> Graph:
    metadata = mapping_in(inputs, "metadata")
    return read_graph(str(metadata.get("name")), str(metadata.get("namespace")), mapping_in(inputs, "spec"))


def _volume(inputs: Mapping[str, Any]) -> DeployedVolume | None:
    spec = mapping_in(inputs, "spec")
    size = str(mapping_in(spec, "resources", "requests").get("storage"))
    if re.fullmatch(r"[0-9]+[GT]i", size) is None:
        return None
    return DeployedVolume(size_in_gib(size), str(spec.get("storageClassName")))


def _revision(inputs: Mapping[str, Any]) -> str | None:
    found = _REVISION.search(json.dumps(mapping_in(inputs, "spec"), default=str))
    return found[1] if found else None


def _release(inputs: Mapping[str, Any]) -> DeployedRelease:
    return DeployedRelease(str(inputs.get("version")), mapping_in(inputs, "values"))
