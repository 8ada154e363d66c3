"""What the objects of a graph are called, whose they are, and of which type its components are.

Components are v1beta1's throughout. The garbage collector deletes an object with its owner, and in the
foreground before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.controller.objects import set_finalizer
from lab.dynamo_operator.conversion import V1BETA1

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest

FRONTEND = "frontend"
WORKER_TYPES = frozenset({"worker", "prefill", "decode"})

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
    """Whether it gets worker probes, a system port and managed rolling updates."""
    return component.get("type", "") in WORKER_TYPES


def object_name(graph: str, component: Manifest, worker_hash: str) -> str:
    """`<graph>-<component>` in lower case, with the generation's hash for workers."""
    name = f"{graph}-{component['name'].lower()}"
    return f"{name}-{worker_hash}" if is_worker(component) else name


def pod_metadata(component: Manifest, field: str) -> dict[str, str]:
    """`annotations` or `labels` of the component's pod template."""
    metadata: Manifest = (component.get("podTemplate") or {}).get("metadata") or {}
    return metadata.get(field) or {}


def owned(owner: Manifest, api_version: str, kind: str, name: str) -> Manifest:
    """An object without content that goes with its owner."""
    metadata = owner["metadata"]
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": metadata["namespace"], "ownerReferences": [reference]},
    }


def is_owned_by(manifest: Manifest, uid: str) -> bool:
    """Whether this is an owner of the object."""
    return any(owner["uid"] == uid for owner in manifest["metadata"].get("ownerReferences", []))


async def held(api: KubernetesApi, kind: str, namespace: str, name: str) -> Manifest | None:
    """The object, with the finalizer that it keeps until it is deleted; None where it is not to be."""
    found = await api.get(V1BETA1, kind, name, namespace)
    if found is None:
        return None
    is_going = "deletionTimestamp" in found["metadata"]
    found = await set_finalizer(api, found, FINALIZER, held=not is_going)
    return None if is_going else found
