"""What a component of a graph is called and of which type it is."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.controller.api import Manifest

FRONTEND = "frontend"
PLANNER = "planner"
EPP = "epp"
WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
# Types of v1beta1 that are subtypes of worker in v1alpha1.
SUB_TYPES = ("prefill", "decode")
# The enum of v1beta1 components, in the order of its schema.
KNOWN_TYPES = (FRONTEND, "worker", "prefill", "decode", PLANNER, EPP)

FINALIZER = "nvidia.com/finalizer"
LABEL_GRAPH = "nvidia.com/dynamo-graph-deployment-name"
LABEL_COMPONENT = "nvidia.com/dynamo-component"
LABEL_WORKER_HASH = "nvidia.com/dynamo-worker-hash"

# Fields that do not reach the pod template (ai-dynamo/dynamo#6110): changing them rolls no worker.
_NOT_HASHED = frozenset(
    {
        "annotations",
        "autoscaling",
        "componentType",
        "dynamoNamespace",
        "eppConfig",
        "ingress",
        "labels",
        "modelRef",
        "replicas",
        "scalingAdapter",
        "serviceName",
        "subComponentType",
    }
)


def effective_type(service: Manifest) -> str:
    """The component's type; `worker` with subComponentType prefill or decode is that type."""
    declared: str = service.get("componentType", "")
    sub_type: str = service.get("subComponentType", "")
    if declared == "worker" and sub_type in WORKER_TYPES:
        return sub_type
    return declared


def is_worker(service: Manifest) -> bool:
    """Whether it gets worker probes, a system port and managed rolling updates (`main` gets none)."""
    return effective_type(service) in WORKER_TYPES


def object_name(graph: str, component: str, worker_hash: str = "") -> str:
    """`<graph>-<component>` in lower case, with the generation's hash for workers."""
    name = f"{graph}-{component.lower()}".replace(".", "-")
    return f"{name}-{worker_hash}" if worker_hash else name


def workers_hash(services: dict[str, Manifest]) -> str:
    """Eight hex digits over every worker's pod fields: one change moves all workers to a new generation."""
    hashed: dict[str, Any] = {
        name: {key: value for key, value in service.items() if key not in _NOT_HASHED}
        for name, service in services.items()
        if is_worker(service)
    }
    return hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()[:8]


def dynamo_namespace(graph: Manifest, service: Manifest) -> str:
    """The namespace inside Dynamo in which the component registers itself."""
    if service.get("globalDynamoNamespace"):
        return "dynamo"
    return f"{graph['metadata']['namespace']}-{graph['metadata']['name']}"
