"""A graph in nvidia.com/v1beta1: a list of components, each with a Kubernetes pod template."""

from typing import Any

from recipes.graph_manifest.services import Amounts, GraphService

# The operator adds its probes, ports and variables to the container of this name.
_MAIN_CONTAINER = "main"


def spec(services: tuple[GraphService, ...], backend_framework: str) -> dict[str, Any]:
    """Return the `spec` of the graph."""
    return {
        "backendFramework": backend_framework,
        "components": [_component(service) for service in services],
    }


def _component(service: GraphService) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": service.name,
        "type": service.role,
        "replicas": service.replicas,
        "podTemplate": _pod_template(service),
    }
    if service.shared_memory:
        fields["sharedMemorySize"] = service.shared_memory
    return fields


def _pod_template(service: GraphService) -> dict[str, Any]:
    container = {**service.container, "name": _MAIN_CONTAINER, "resources": service.resources(_amounts)}
    pod = {**service.pod, "containers": [container]}
    if not service.annotations:
        return {"spec": pod}
    # The operator reads the rollout's annotations here (ai-dynamo/dynamo#4990).
    return {"metadata": {"annotations": dict(service.annotations)}, "spec": pod}


def _amounts(amounts: Amounts) -> dict[str, str]:
    written = {"nvidia.com/gpu": str(amounts.gpus)} if amounts.gpus else {}
    if amounts.cpu is not None:
        written["cpu"] = amounts.cpu
    if amounts.memory is not None:
        written["memory"] = amounts.memory
    return written | dict(amounts.devices)
