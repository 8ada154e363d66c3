"""The Deployment and the Service of one DynamoComponentDeployment.

Source: ai-dynamo/dynamo deploy/operator/internal/controller/dynamocomponentdeployment_controller.go at
0a132bc43.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.components import (
    FRONTEND,
    LABEL_COMPONENT_TYPE,
    LABEL_GRAPH,
    LABEL_NAMESPACE,
    LABEL_WORKER_HASH,
    owned,
)
from lab.dynamo_operator.generations import workload_annotations, workload_labels
from lab.dynamo_operator.pod import (
    DISCOVERY_BACKEND,
    SERVICE_PORT,
    SYSTEM_PORT,
    Place,
    discovers_by_kubernetes,
    pod_spec,
)
from lab.dynamo_operator.rollout import deployment_strategy

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.installation import OperatorConfiguration

DISCOVERY_ENABLED = "nvidia.com/dynamo-discovery-enabled"
_DISCOVERY_LABELS = {DISCOVERY_BACKEND: "kubernetes", DISCOVERY_ENABLED: "true"}


def deployment(owner: Manifest, configuration: OperatorConfiguration) -> Manifest:
    """The Deployment. Its strategy follows annotations of either place; updates across generations do not."""
    spec, name = owner["spec"], owner["metadata"]["name"]
    annotations, labels = workload_annotations(owner), workload_labels(owner)
    manifest = owned(owner, "apps/v1", "Deployment", name)
    manifest["metadata"]["labels"] = labels
    selector = {"nvidia.com/selector": name}
    pod_labels = (
        labels | selector | {LABEL_COMPONENT_TYPE: spec["type"], "nvidia.com/metrics-enabled": "true"}
    )
    if discovers_by_kubernetes(configuration, annotations):
        pod_labels |= _DISCOVERY_LABELS
    metadata: Manifest = {"labels": pod_labels}
    if annotations:
        manifest["metadata"]["annotations"] = annotations
        metadata["annotations"] = annotations
    where = Place(
        graph=owner["metadata"]["labels"].get(LABEL_GRAPH, name),
        namespace=owner["metadata"]["namespace"],
        dynamo_namespace=labels[LABEL_NAMESPACE],
        worker_hash=labels.get(LABEL_WORKER_HASH, ""),
    )
    manifest["spec"] = {
        "replicas": spec.get("replicas", 1),
        "selector": {"matchLabels": selector},
        "strategy": deployment_strategy(annotations),
        "template": {"metadata": metadata, "spec": pod_spec(spec, where, configuration)},
    }
    return manifest


def service(owner: Manifest, configuration: OperatorConfiguration) -> Manifest | None:
    """The Service, which selects the component in every generation; None where nobody would look for it."""
    spec, name = owner["spec"], owner["metadata"]["name"]
    annotations, labels = workload_annotations(owner), workload_labels(owner)
    by_kubernetes = discovers_by_kubernetes(configuration, annotations)
    if not by_kubernetes and spec["type"] != FRONTEND:
        return None
    port_name, port = ("http", SERVICE_PORT) if spec["type"] == FRONTEND else ("system", SYSTEM_PORT)
    manifest = owned(owner, "v1", "Service", name.lower().replace(".", "-"))
    manifest["metadata"]["labels"] = labels | (_DISCOVERY_LABELS if by_kubernetes else {})
    if annotations:
        manifest["metadata"]["annotations"] = annotations
    manifest["spec"] = {
        "selector": {
            LABEL_COMPONENT_TYPE: spec["type"],
            LABEL_NAMESPACE: labels[LABEL_NAMESPACE],
            "nvidia.com/dynamo-component": spec["name"],
        },
        "ports": [{"name": port_name, "port": port, "targetPort": port_name, "protocol": "TCP"}],
    }
    return manifest
