"""From a graph to the component deployments of one generation of workers, and the hash of a generation.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/{graph,hash}.go at 0a132bc43.
"""

from __future__ import annotations

import copy
import hashlib
import json
from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.components import (
    LABEL_COMPONENT,
    LABEL_GRAPH,
    LABEL_NAMESPACE,
    LABEL_WORKER_HASH,
    components_of,
    is_worker,
    object_name,
    owned,
    pod_metadata,
)
from lab.dynamo_operator.conversion import COMPONENT, V1ALPHA1, V1BETA1, converted, kept
from lab.dynamo_operator.conversion.manifests import OF_DEPLOYMENTS
from lab.dynamo_operator.conversion.native import MAIN, main_of, merge_environment, without_empty
from lab.dynamo_operator.conversion.services import SUB_TYPES

if TYPE_CHECKING:
    from lab.controller.api import Manifest

# Annotations of a graph that reach its pods' templates unless a component says otherwise.
_ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
_HANDED_DOWN = ("nvidia.com/dynamo-discovery-backend", _ORIGIN_VERSION)
_PLACEHOLDER = "worker-hash-placeholder"


def desired_hash(graph: Manifest) -> str:
    """Eight hex digits over the component deployments of the workers that the graph asks for now.

    Not the real operator's digits: it hashes Go's own serialisation, and a second time without annotations of
    v1alpha1 services, whose change starts a new generation all the same.
    """
    hashed = {
        each["spec"]["name"]: [
            workload_labels(each),
            workload_annotations(each),
            {key: value for key, value in each["spec"].items() if key not in {"replicas", "scalingAdapter"}},
        ]
        for each in component_deployments(graph, _PLACEHOLDER, {})
        if is_worker(each["spec"])
    }
    return hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()[:8]


def component_deployments(graph: Manifest, worker_hash: str, replicas: dict[str, int]) -> list[Manifest]:
    """One for each component; `replicas` overrides what the graph says, during an update, by component."""
    return [
        _component_deployment(graph, component, worker_hash, replicas) for component in components_of(graph)
    ]


def workload_annotations(deployment: Manifest) -> dict[str, str]:
    """Annotations of Deployment, pods and Service: the v1alpha1 service's, below the pod template's."""
    _, service = kept.take(deployment["metadata"], OF_DEPLOYMENTS)
    annotations = (service.get("annotations") or {}) | pod_metadata(deployment["spec"], "annotations")
    return {key: value for key, value in annotations.items() if key != _ORIGIN_VERSION}


def workload_labels(deployment: Manifest) -> dict[str, str]:
    """Labels of the Deployment, its pods and its Service."""
    spec, own = deployment["spec"], deployment["metadata"]["labels"]
    labels = own | pod_metadata(spec, "labels")
    if spec["type"] in SUB_TYPES:
        labels["nvidia.com/dynamo-sub-component-type"] = spec["type"]
    fixed = (LABEL_COMPONENT, LABEL_NAMESPACE, LABEL_GRAPH, LABEL_WORKER_HASH)
    return labels | {key: own[key] for key in fixed if key in own}


def _component_deployment(
    graph: Manifest, component: Manifest, worker_hash: str, replicas: dict[str, int]
) -> Manifest:
    spec = copy.deepcopy(component)
    labels = pod_metadata(component, "labels") | {
        LABEL_COMPONENT: component["name"],
        LABEL_NAMESPACE: f"{graph['metadata']['namespace']}-{graph['metadata']['name']}",
        LABEL_GRAPH: graph["metadata"]["name"],
    }
    if is_worker(component):
        labels[LABEL_WORKER_HASH] = worker_hash
        if component["name"] in replicas:
            spec["replicas"] = replicas[component["name"]]
    _hand_down(graph, spec, {LABEL_WORKER_HASH: worker_hash} if is_worker(component) else {})
    if graph["spec"].get("backendFramework"):
        spec["backendFramework"] = graph["spec"]["backendFramework"]
    name = object_name(graph["metadata"]["name"], component, worker_hash)
    manifest = owned(graph, V1BETA1, COMPONENT, name)
    annotations = _kept_annotations(graph, component["name"], name)
    manifest["metadata"] |= without_empty({"labels": labels, "annotations": annotations})
    return manifest | {"spec": spec}


def _hand_down(graph: Manifest, spec: Manifest, labels: dict[str, str]) -> None:
    """Environment and annotations of the graph, and the generation, into the pod template."""
    template: Manifest = spec.setdefault("podTemplate", {})
    variables: list[Manifest] = graph["spec"].get("env") or []
    if variables:
        containers: list[Manifest] = template.setdefault("spec", {}).setdefault("containers", [])
        main = main_of(containers)
        if main is None:
            main = dict[str, Any](name=MAIN)
            containers.insert(0, main)
        main["env"] = merge_environment(variables, main.get("env") or [])
    of_graph: dict[str, str] = graph["metadata"].get("annotations") or {}
    annotations = {key: of_graph[key] for key in _HANDED_DOWN if key in of_graph}
    metadata = without_empty(
        {
            "annotations": annotations | pod_metadata(spec, "annotations"),
            "labels": pod_metadata(spec, "labels") | labels,
        }
    )
    if metadata:
        template["metadata"] = metadata


def _kept_annotations(graph: Manifest, component: str, name: str) -> dict[str, str]:
    """What reading the graph's service as a component deployment would leave in an annotation."""
    service: Manifest = converted(graph, V1ALPHA1)["spec"]["services"][component]
    carrier = {
        "apiVersion": V1ALPHA1,
        "kind": COMPONENT,
        "metadata": {"name": name},
        "spec": service,
    }
    return converted(carrier, V1BETA1)["metadata"].get("annotations") or {}
