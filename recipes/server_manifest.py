"""The Deployment and the Service of a recipe that an engine's own server serves, without Dynamo.

The pods are those of a graph's worker, with what Dynamo's operator adds there: shared memory, port, probes.
"""

from typing import Any

from engines.engine import PORT
from recipes.graph_manifest import pod_template
from recipes.placed import PlacedRecipe
from recipes.pod_environment import BEFORE_IT_ENDS
from recipes.pod_placement import COMPONENT_LABEL, COMPONENT_TYPE_LABEL, GRAPH_NAME_LABEL

_SHARED_MEMORY = "shared-memory"


def server_labels(placed: PlacedRecipe) -> dict[str, str]:
    """Return the labels of the server's pods.

    Those of a graph's worker: affinity, policies and this project's commands find pods by them.
    """
    [worker] = placed.workers
    return {
        GRAPH_NAME_LABEL: placed.graph_name,
        COMPONENT_TYPE_LABEL: worker.role,
        COMPONENT_LABEL: worker.name,
    }


def client_pod_labels(placed: PlacedRecipe) -> dict[str, str]:
    """Return the labels of the pods that answer clients: the server's, or those of Dynamo's frontend."""
    if placed.recipe.engine_server is not None:
        return server_labels(placed)
    return {GRAPH_NAME_LABEL: placed.graph_name, COMPONENT_TYPE_LABEL: "frontend"}


def server_deployment(placed: PlacedRecipe) -> dict[str, Any]:
    """Return the `spec` of the Deployment.

    Raises:
        ValueError: Dynamo serves the recipe.

    """
    server = placed.recipe.engine_server
    if server is None:
        raise ValueError(f"{placed.recipe.name} is served by Dynamo")
    [worker] = placed.workers
    template = pod_template(placed, worker)
    metadata, pod = template["metadata"], template["spec"]
    labels = server_labels(placed)
    container: dict[str, Any] = pod["containers"][0]
    if worker.shared_memory:
        memory = {"medium": "Memory", "sizeLimit": worker.shared_memory}
        pod["volumes"].append({"name": _SHARED_MEMORY, "emptyDir": memory})
        container["volumeMounts"].append({"name": _SHARED_MEMORY, "mountPath": "/dev/shm"})  # noqa: S108
    surges = worker.placement is not None and worker.placement.rollout.strategy == "RollingUpdate"
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return {
        "replicas": worker.replicas,
        "selector": {"matchLabels": labels},
        "strategy": rolling if surges else {"type": "Recreate"},
        "template": {
            "metadata": {"labels": {**metadata["labels"], **labels}},
            "spec": {**pod, "containers": [{**container, **_port_and_probes(server.ready_path)}]},
        },
    }


def server_service(placed: PlacedRecipe) -> dict[str, Any]:
    """Return the `spec` of the Service that clients address."""
    port = {"name": "http", "port": PORT, "targetPort": PORT, "protocol": "TCP"}
    return {"selector": server_labels(placed), "ports": [port]}


def _port_and_probes(path: str) -> dict[str, Any]:
    asked = {"httpGet": {"path": path, "port": PORT}}
    return {
        "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
        # The operator's startup probe lets a worker load for so long.
        "startupProbe": {**asked, "periodSeconds": 10, "failureThreshold": 720},
        # One process answers /health between the tokens of thousands of streams. Out of its Service it would
        # have no address while it works: both probes give up after the same 180 s.
        "readinessProbe": {**asked, "periodSeconds": 10, "timeoutSeconds": 10, "failureThreshold": 18},
        "livenessProbe": {**asked, "periodSeconds": 30, "timeoutSeconds": 10, "failureThreshold": 6},
        "lifecycle": dict(BEFORE_IT_ENDS),
    }
