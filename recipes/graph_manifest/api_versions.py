"""The words of each API version of the graph for the same pods.

v1alpha1: services by name, resources in the operator's own words. Volumes stand in the pod's own words
there too, not as `pvcs` and `volumeMounts` of the service: before 1.4 the mounts of the main container take
the place of the service's, and no worker would have its model (ai-dynamo/dynamo#11263). v1beta1: a list of
components, each with a Kubernetes pod template.
"""

from collections.abc import Mapping
from typing import Any

from recipes.graph_manifest.services import GPU_RESOURCE, GraphService
from recipes.pod_environment import MAIN_CONTAINER

_ALPHA_NAMES = {GPU_RESOURCE: "gpu", "cpu": "cpu", "memory": "memory"}
"""Kubernetes' name of an amount -> that of v1alpha1, which has the others below `custom`."""


def pod_template(service: GraphService) -> dict[str, Any]:
    """Return the pod template in Kubernetes' own words, with its labels and the rollout's annotations."""
    container = {**service.container, "name": MAIN_CONTAINER, "resources": dict(service.resources)}
    pod = {**service.pod, "containers": [container, *(dict(other) for other in service.others)]}
    metadata = _pod_metadata(service)
    # The operator reads the rollout's annotations here (ai-dynamo/dynamo#4990).
    return {"metadata": metadata, "spec": pod} if metadata else {"spec": pod}


def alpha_service(service: GraphService) -> dict[str, Any]:
    """Return the service of a graph in nvidia.com/v1alpha1."""
    fields: dict[str, Any] = {
        **_component_type(service),
        "replicas": service.replicas,
        "resources": {
            **service.resources,
            **{kind: _alpha_amounts(service.resources[kind]) for kind in ("requests", "limits")},
        },
        "extraPodSpec": {**service.pod, "mainContainer": dict(service.container)},
    }
    if service.others:
        fields["extraPodSpec"]["containers"] = [dict(other) for other in service.others]
    if metadata := _pod_metadata(service):
        # Before 1.4 the operator reads the limits of a rollout from the pod's annotations alone; those of the
        # service it forgets between two generations of workers (ai-dynamo/dynamo#11909), and an update on a
        # full node then waits for ever.
        fields["extraPodMetadata"] = metadata
    if service.shared_memory:
        fields["sharedMemory"] = {"size": service.shared_memory}
    return fields


def component(service: GraphService) -> dict[str, Any]:
    """Return the component of a graph in nvidia.com/v1beta1."""
    fields: dict[str, Any] = {
        "name": service.name,
        "type": service.role,
        "replicas": service.replicas,
        "podTemplate": pod_template(service),
    }
    if service.shared_memory:
        fields["sharedMemorySize"] = service.shared_memory
    return fields


def _pod_metadata(service: GraphService) -> dict[str, Any]:
    parts = {"labels": dict(service.labels), "annotations": dict(service.annotations)}
    return {key: values for key, values in parts.items() if values}


def _component_type(service: GraphService) -> dict[str, str]:
    if service.role in ("prefill", "decode"):
        return {"componentType": "worker", "subComponentType": service.role}
    return {"componentType": service.role}


def _alpha_amounts(amounts: Mapping[str, str]) -> dict[str, Any]:
    own = {_ALPHA_NAMES[name]: amount for name, amount in amounts.items() if name in _ALPHA_NAMES}
    devices = {name: amount for name, amount in amounts.items() if name not in _ALPHA_NAMES}
    return {**own, "custom": devices} if devices else own
