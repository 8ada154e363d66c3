"""A graph in nvidia.com/v1alpha1: services by name, resources in the operator's own words.

Volumes stand in the pod's own words, not as `pvcs` and `volumeMounts` of the service: before 1.4 the mounts
of the main container take the place of the service's, and no worker would have its model
(ai-dynamo/dynamo#11263).
"""

from typing import Any

from recipes.graph_manifest.services import Amounts, GraphService


def spec(services: tuple[GraphService, ...], backend_framework: str) -> dict[str, Any]:
    """Return the `spec` of the graph."""
    return {
        "backendFramework": backend_framework,
        "services": {service.name: _service(service) for service in services},
    }


def _service(service: GraphService) -> dict[str, Any]:
    fields: dict[str, Any] = {
        **_component_type(service),
        "replicas": service.replicas,
        "resources": service.resources(_amounts),
        "extraPodSpec": {**service.pod, "mainContainer": dict(service.container)},
    }
    if service.annotations:
        # Before 1.4 the operator reads the limits of a rollout from the pod's annotations alone; those of the
        # service it forgets between two generations of workers (ai-dynamo/dynamo#11909), and an update on a
        # full node then waits for ever.
        fields["extraPodMetadata"] = {"annotations": dict(service.annotations)}
    if service.shared_memory:
        fields["sharedMemory"] = {"size": service.shared_memory}
    return fields


def _component_type(service: GraphService) -> dict[str, str]:
    if service.role in ("prefill", "decode"):
        return {"componentType": "worker", "subComponentType": service.role}
    return {"componentType": service.role}


def _amounts(amounts: Amounts) -> dict[str, Any]:
    # The CRD takes quantities as strings only: `gpu: 4` is refused.
    written: dict[str, Any] = {"gpu": str(amounts.gpus)} if amounts.gpus else {}
    if amounts.cpu is not None:
        written["cpu"] = amounts.cpu
    if amounts.memory is not None:
        written["memory"] = amounts.memory
    if amounts.devices:
        written["custom"] = dict(amounts.devices)
    return written
