"""The DynamoGraphDeployment of a placed recipe, in API version nvidia.com/v1alpha1.

That version is what Dynamo 1.2 stores and its own recipes use; a v1beta1 graph is refused there
(ai-dynamo/dynamo#10419).
"""

from collections.abc import Mapping
from typing import Any

from recipes.placed import PlacedRecipe, PlacedService, PoolPlacement, Rollout, Toleration
from recipes.pod_environment import service_environment
from recipes.tensorrt_llm import BACKEND_FRAMEWORK, command_line

API_VERSION = "nvidia.com/v1alpha1"
KIND = "DynamoGraphDeployment"
ENGINE_FILES_DIRECTORY = "/opt/dynamo/configs"
GRAPH_NAME_LABEL = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT_TYPE_LABEL = "nvidia.com/dynamo-component-type"

_ENGINE_FILES_VOLUME = "engine-files"
_DEPLOYMENT_STRATEGY = "nvidia.com/deployment-strategy"
_MAX_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
_MAX_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"

# Node affinity of everything that needs no GPU: a frontend on a GPU node would take the processor time
# and memory that its workers are sized for. NotIn also matches nodes without the label.
NODES_WITHOUT_GPUS: Mapping[str, Any] = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}]}
        ]
    }
}


def graph_spec(placed: PlacedRecipe, engine_config_map_name: str) -> dict[str, Any]:
    """Return the `spec` of the graph."""
    return {
        "backendFramework": BACKEND_FRAMEWORK,
        "pvcs": [{"name": placed.cache_claim_name, "create": False}],
        "services": {
            service.name: _service(placed, service, engine_config_map_name) for service in placed.services
        },
    }


def _service(placed: PlacedRecipe, service: PlacedService, engine_config_map_name: str) -> dict[str, Any]:
    common = {
        "replicas": service.replicas,
        "volumeMounts": [
            {"name": placed.cache_claim_name, "mountPoint": placed.recipe.model_cache.mount_path}
        ],
    }
    if service.placement is None:
        return common | _frontend(placed, service)
    return common | _worker(placed, service, service.placement, engine_config_map_name)


def _frontend(placed: PlacedRecipe, service: PlacedService) -> dict[str, Any]:
    command = " ".join(["python3 -m dynamo.frontend", *service.recipe.arguments])
    return {
        "componentType": "frontend",
        "extraPodSpec": {
            "affinity": {
                "nodeAffinity": NODES_WITHOUT_GPUS,
                "podAntiAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 100, "podAffinityTerm": _other_frontends(placed)}
                    ]
                },
            },
            "mainContainer": _main_container(placed, service, command),
        },
    }


def _worker(
    placed: PlacedRecipe, service: PlacedService, placement: PoolPlacement, engine_config_map_name: str
) -> dict[str, Any]:
    role = service.recipe.worker_role
    command = command_line(
        served_name=placed.recipe.model.served_name, role=role, arguments=service.recipe.arguments
    )
    # The CRD takes quantities as strings only: `gpu: 4` is refused.
    gpus = {"gpu": str(service.gpus)}
    engine_files = {"name": _ENGINE_FILES_VOLUME, "mountPath": ENGINE_FILES_DIRECTORY, "readOnly": True}
    spec: dict[str, Any] = {
        "componentType": "worker",
        "subComponentType": role,
        "annotations": _rollout_annotations(placement.rollout),
        "resources": {"requests": gpus, "limits": gpus},
        "extraPodSpec": {
            "nodeSelector": dict(placement.node_selector),
            "tolerations": [_toleration(toleration) for toleration in placement.tolerations],
            "volumes": [{"name": _ENGINE_FILES_VOLUME, "configMap": {"name": engine_config_map_name}}],
            "mainContainer": {
                **_main_container(placed, service, command),
                "workingDir": placed.recipe.working_directory,
                "volumeMounts": [engine_files],
            },
        },
    }
    if service.recipe.shared_memory:
        spec["sharedMemory"] = {"size": service.recipe.shared_memory}
    return spec


def _main_container(placed: PlacedRecipe, service: PlacedService, command: str) -> dict[str, Any]:
    runtime = placed.recipe.runtime
    variables = service_environment(placed.recipe, service.recipe, ENGINE_FILES_DIRECTORY)
    return {
        "image": f"{runtime.image}:{runtime.version}",
        "command": ["/bin/sh", "-c"],
        "args": [command],
        "env": [{"name": name, "value": value} for name, value in variables.items()],
    }


def _other_frontends(placed: PlacedRecipe) -> dict[str, Any]:
    labels = {GRAPH_NAME_LABEL: placed.graph_name, COMPONENT_TYPE_LABEL: "frontend"}
    return {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}


def _rollout_annotations(rollout: Rollout) -> dict[str, str]:
    # Read by the operator since ai-dynamo/dynamo#4990. Its own default surges by a quarter, which waits
    # for ever in a pool that has no GPUs left for one more worker.
    if rollout.strategy == "Recreate":
        return {_DEPLOYMENT_STRATEGY: "Recreate"}
    return {_DEPLOYMENT_STRATEGY: "RollingUpdate", _MAX_SURGE: "1", _MAX_UNAVAILABLE: "0"}


def _toleration(toleration: Toleration) -> dict[str, str]:
    fields = {"key": toleration.key, "operator": toleration.operator, "effect": toleration.effect}
    return fields if toleration.value is None else fields | {"value": toleration.value}
