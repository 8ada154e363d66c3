"""Why a frontend does not see a worker whose pod is Ready, where workers are discovered by Kubernetes.

An instance counts while an EndpointSlice with the label lists its pod as ready and a DynamoWorkerMetadata of
the pod's name exists: seen with PyPI package ai-dynamo 1.2.1, whose frontend without the label saw nothing.
"""

from collections.abc import Sequence

from components.cluster_reader import ClusterReader, KubernetesObject
from components.dynamo_objects import DISCOVERY_BACKEND, DISCOVERY_ENABLED, WORKER_METADATA

_SLICES = "endpointslices.discovery.k8s.io"
_LOG = "its log says why"


def why_unseen(cluster: ClusterReader, namespace: str, pod: KubernetesObject) -> str:
    """Return what is missing of a Ready pod's registration; where that cannot be read, where to look."""
    name, labels = pod["metadata"]["name"], pod["metadata"].get("labels") or {}
    if labels.get(DISCOVERY_BACKEND) != "kubernetes":
        return _LOG
    slices = cluster.items(_SLICES, "--namespace", namespace, "--selector", f"{DISCOVERY_ENABLED}=true")
    if slices is not None and name not in _ready_in(slices):
        return (
            f"no EndpointSlice with the label {DISCOVERY_ENABLED}=true lists it as ready, and frontends look "
            "at no other; the label comes from the Service that the operator makes"
        )
    metadata = cluster.items(WORKER_METADATA, "--namespace", namespace)
    if metadata is not None and name not in {each["metadata"]["name"] for each in metadata}:
        return f"it has written no DynamoWorkerMetadata; {_LOG}"
    return _LOG


def _ready_in(slices: Sequence[KubernetesObject]) -> set[str]:
    endpoints = [endpoint for each in slices for endpoint in each.get("endpoints") or []]
    return {
        str((endpoint.get("targetRef") or {}).get("name"))
        for endpoint in endpoints
        if (endpoint.get("conditions") or {}).get("ready") is not False
    }
