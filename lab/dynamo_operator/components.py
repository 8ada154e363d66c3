"""What a component of a graph is called and of which type it is. Components are v1beta1's throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest

FRONTEND = "frontend"
WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
# The enum of v1beta1 components, in the order of its schema.
KNOWN_TYPES = (FRONTEND, "worker", "prefill", "decode", "planner", "epp")

FINALIZER = "nvidia.com/finalizer"
LABEL_GRAPH = "nvidia.com/dynamo-graph-deployment-name"
LABEL_COMPONENT = "nvidia.com/dynamo-component"
LABEL_COMPONENT_TYPE = "nvidia.com/dynamo-component-type"
LABEL_NAMESPACE = "nvidia.com/dynamo-namespace"
LABEL_WORKER_HASH = "nvidia.com/dynamo-worker-hash"


def components_of(graph: Manifest) -> list[Manifest]:
    """The graph's components in the order of its list."""
    return graph["spec"].get("components") or []


def is_worker(component: Manifest) -> bool:
    """Whether it gets worker probes, a system port and managed rolling updates (`main` gets none)."""
    return component.get("type", "") in WORKER_TYPES


def object_name(graph: str, component: Manifest, worker_hash: str) -> str:
    """`<graph>-<component>` in lower case, with the generation's hash for workers."""
    name = f"{graph}-{component['name'].lower()}"
    return f"{name}-{worker_hash}" if is_worker(component) else name


def dynamo_namespace(graph: Manifest, component: Manifest) -> str:
    """The namespace inside Dynamo in which the component registers itself; takes services of v1alpha1 too."""
    if component.get("globalDynamoNamespace"):
        return "dynamo"
    return f"{graph['metadata']['namespace']}-{graph['metadata']['name']}"


def pod_metadata(component: Manifest, field: str) -> dict[str, str]:
    """`annotations` or `labels` of the component's pod template."""
    metadata: Manifest = (component.get("podTemplate") or {}).get("metadata") or {}
    return metadata.get(field) or {}
