"""Dynamo's own objects: their names and labels, and how to read them while their operator is gone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from components.cluster_answer import KINDS, Kind, condition_of
from components.cluster_reader import ClusterReader

GRAPH_KIND = "DynamoGraphDeployment"
GRAPHS = "dynamographdeployments.nvidia.com"
GRAPH_OBJECTS = Kind.of_definition(GRAPHS)
"""Graphs at the version that can be read while their operator is away."""
_GRAPH_VERSIONS = ("v1alpha1", "v1beta1")
"""One is stored, and the operator's webhook converts to the other."""
PART_OBJECTS = Kind.of_definition("dynamocomponentdeployments.nvidia.com")
"""What the operator makes of a graph: one for each component and generation of workers, which owns a
Deployment and a Service and has a finalizer of its own."""
FINALIZER = "nvidia.com/finalizer"
"""On graphs and on their parts (ai-dynamo/dynamo deploy/operator/internal/controller_common/finalizer.go)."""
CONVERSION_SIGN = "conversion webhook"
"""Part of the API server's message when it cannot read an object at another version than the stored one."""

OPERATOR_LABELS = "app.kubernetes.io/created-by=dynamo-operator,control-plane=controller-manager"
"""Selects the operator's Deployment, whatever its release is called (ai-dynamo/dynamo
deploy/helm/charts/platform/components/operator/templates/deployment.yaml)."""

# Labels of a graph's pods (ai-dynamo/dynamo deploy/operator/internal/consts/consts.go).
GRAPH_NAME = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT = "nvidia.com/dynamo-component"
DISCOVERY_BACKEND = "nvidia.com/dynamo-discovery-backend"
"""Label of a graph's pods: by what frontends and workers find each other, kubernetes or etcd."""
DISCOVERY_ENABLED = "nvidia.com/dynamo-discovery-enabled"
"""Label of the Services, and so of their EndpointSlices, in which the runtime looks for instances."""
WORKER_METADATA = Kind.of_definition("dynamoworkermetadatas.nvidia.com")
"""What a worker writes of itself, under the name of its pod, where it is discovered by Kubernetes."""
FRONTEND = "frontend"
FRONTEND_PORT = 8000

USES_PLATFORM = "uses-dynamo-platform"
"""This project's label on a namespace: NATS and etcd of the platform that it names admit the pods there."""


def kind_named(name: str) -> Kind:
    """Return a kind by the name that manifests give it."""
    return {GRAPH_KIND: GRAPH_OBJECTS, **KINDS}.get(name) or Kind(f"{name.lower()}s")


def frontend_service(graph_name: str) -> str:
    """Return the name of the Service that the operator makes for a graph's frontends."""
    return f"{graph_name}-{FRONTEND}"


def is_seen(item: Mapping[str, Any]) -> bool:
    """Whether the operator has looked at the object as it is now.

    Until then its conditions are about what was asked for before: a changed graph stays Ready for up to three
    seconds.
    """
    status: Mapping[str, Any] = item.get("status") or {}
    return status.get("observedGeneration", 0) >= item.get("metadata", {}).get("generation", 0)


def components_of(graph: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the components of a graph of either version, by their names."""
    spec: Mapping[str, Any] = graph.get("spec") or {}
    return {each["name"]: each for each in spec.get("components") or []} or (spec.get("services") or {})


def why_not_ready(graph: Mapping[str, Any]) -> str | None:
    """Return the operator's words about a graph that is not ready; None for one that is."""
    if not is_seen(graph):
        return "its operator has not looked at its latest change yet"
    condition = condition_of(graph, "Ready")
    if condition.get("status") == "True":
        return None
    said = f"{condition.get('reason', '')} {condition.get('message', '')}".strip()
    return said or "its operator has reported nothing"


def why_unconverted(cluster: ClusterReader, namespace: str, name: str, kind: Kind = GRAPH_OBJECTS) -> str:
    """Return the API server's words where it has the graph and nobody converts it; empty everywhere else.

    `kind`: of a part of a graph instead.

    Of the two versions one is stored, and only the operator converts to the other. Nobody is asked to convert
    a graph that is gone; a cluster that does not answer is no reason to keep anything.
    """
    for version in _GRAPH_VERSIONS:
        why = cluster.ask(replace(kind, version=version), name, namespace).why
        if why:
            return why if CONVERSION_SIGN in why else ""
    return ""
