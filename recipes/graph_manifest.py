"""The DynamoGraphDeployment of a placed recipe: components of nvidia.com/v1beta1, each with a pod template.

Why in this API version: docs/adr/0017-graph-api-v1beta1.md.
"""

import shlex
from typing import Any

from engines.transport_setup import KvProfile, Privileges
from hardware import GPU_RESOURCE
from recipes.engine_files import engine_files
from recipes.images import mirrored
from recipes.model_files import IMAGE_USER, MODEL_DIRECTORY
from recipes.node_cache import cache_volume, marker_file, waiting_container
from recipes.placed import PlacedRecipe, PlacedService, Rollout
from recipes.pod_environment import (
    BEFORE_IT_ENDS,
    ENGINE_FILES_DIRECTORY,
    MAIN_CONTAINER,
    TERMINATION_GRACE_SECONDS,
    listed,
    process_environment,
    worker_command,
)
from recipes.pod_placement import frontend_scheduling, worker_scheduling
from recipes.pod_processes import registering_containers, supervised
from recipes.standard_labels import standard_labels

_ENGINE_FILES_VOLUME = "engine-files"
_CHANNEL_CLAIM = "compute-domain-channel"


def graph_spec(placed: PlacedRecipe) -> dict[str, Any]:
    """Return the `spec` of the graph.

    Raises:
        ValueError: the KV transport has no image for the recipe's runtime version.

    """
    components: list[dict[str, Any]] = [
        {
            "name": service.name,
            "type": service.role,
            "replicas": service.replicas,
            "podTemplate": pod_template(placed, service),
            # Without it the operator's own 8Gi stays.
            **({"sharedMemorySize": service.shared_memory} if service.shared_memory else {}),
        }
        for service in placed.services
    ]
    return {"backendFramework": placed.recipe.serving_engine.backend_framework, "components": components}


def pod_template(placed: PlacedRecipe, service: PlacedService) -> dict[str, Any]:
    """Return the template of a service's pods, with labels and the rollout's annotations.

    Raises:
        ValueError: the KV transport has no image for the recipe's runtime version.

    """
    placement = service.placement
    container = main_container(placed, service)
    image, security = container["image"], _container_security(None, has_gpus=False)
    cache = "model-cache" if placed.cache_directory else placed.cache_claim_name
    cache_mount = {"name": cache, "mountPath": MODEL_DIRECTORY}
    volumes = [cache_volume(placed, cache)]
    mounts: list[dict[str, Any]] = [cache_mount]
    resources: dict[str, Any] = {
        "requests": _amounts(service, limits=False),
        "limits": _amounts(service, limits=True),
    }
    main = {**container, "name": MAIN_CONTAINER, "volumeMounts": mounts, "resources": resources}
    pod: dict[str, Any] = {
        **(worker_scheduling(placed, service, placement) if placement else frontend_scheduling(placed)),
        # A security context of one's own replaces the operator's, whose group 1000 lets the image's user read
        # the cache. Without OnRootMismatch every start walks through the whole cache to set that group.
        "securityContext": {"fsGroup": IMAGE_USER, "fsGroupChangePolicy": "OnRootMismatch"},
        "terminationGracePeriodSeconds": TERMINATION_GRACE_SECONDS,
        "volumes": volumes,
        "containers": [main, *registering_containers(image, security, service)],
    }
    if placed.cache_directory:
        marker = marker_file(placed.recipe)
        pod["initContainers"] = [waiting_container(image, security, cache_mount, marker)]
    labels = standard_labels(
        placed.recipe.model.served_name.rpartition("/")[2],
        instance=placed.instance,
        component=service.role,
        part_of=placed.graph_name,
        version=image.rpartition(":")[2],
    )
    metadata: dict[str, Any] = {"labels": labels}
    if placement is None:
        main["lifecycle"] = dict(BEFORE_IT_ENDS)
        return {"metadata": metadata, "spec": pod}
    # The operator reads the rollout's annotations here (ai-dynamo/dynamo#4990).
    metadata["annotations"] = _rollout_annotations(placement.rollout)
    files, _ = engine_files(placed)
    if files:
        volumes.insert(0, {"name": _ENGINE_FILES_VOLUME, "configMap": {"name": files}})
        mounts.insert(
            0, {"name": _ENGINE_FILES_VOLUME, "mountPath": ENGINE_FILES_DIRECTORY, "readOnly": True}
        )
    if placed.compute_domain:
        claim = {"name": _CHANNEL_CLAIM, "resourceClaimTemplateName": placed.channel_template}
        pod["resourceClaims"] = [claim]
        # A claim of the pod alone gives the container no device.
        resources["claims"] = [{"name": _CHANNEL_CLAIM}]
    return {"metadata": metadata, "spec": pod}


def main_container(placed: PlacedRecipe, service: PlacedService) -> dict[str, Any]:
    """Return the main container of a service's pods, as far as one without Kubernetes has it too.

    No probes: the operator's stay. Its readiness probe of a frontend passes before any model is known
    (ai-dynamo/dynamo#11178), but no HTTP probe can look into the list that GET /v1/models answers.
    """
    runtime = placed.recipe.runtime
    profile = placed.kv_profile(service)
    tag = service.image_version or (profile.image_tag if profile else runtime.version)
    is_worker = service.placement is not None
    container: dict[str, Any] = {
        "image": mirrored(f"{runtime.image}:{tag}", placed.image_mirrors),
        **_started(placed, service, profile),
        "securityContext": _container_security(profile.privileges if profile else None, has_gpus=is_worker),
        # Why it ended then stands in the pod's status, where `up` and `kubectl describe` find it.
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    if is_worker and placed.recipe.working_directory is not None:
        container["workingDir"] = placed.recipe.working_directory
    return container


def _container_security(privileges: Privileges | None, *, has_gpus: bool) -> dict[str, Any]:
    """Return the securityContext of a container, with the privileges that the KV transport needs."""
    user: dict[str, Any] = (
        {"runAsUser": 0}
        if privileges and privileges.run_as_root
        else {"runAsNonRoot": True, "runAsUser": IMAGE_USER}
    )
    if privileges and privileges.privileged:
        # The API server refuses allowPrivilegeEscalation: false beside it.
        return {**user, "privileged": True}
    capabilities: dict[str, Any] = {"drop": ["ALL"]}
    if privileges and privileges.capabilities:
        capabilities["add"] = list(privileges.capabilities)
    security = {**user, "allowPrivilegeEscalation": False, "capabilities": capabilities}
    if has_gpus:
        # No seccomp profile: without SYS_PTRACE containerd's forbids pidfd_getfd, by which the ranks of one
        # engine open each other's GPU memory on x86 (NVIDIA/TensorRT-LLM tensorrt_llm/_mnnvl_utils.py). The
        # capability acts for root alone; without root it would open the profile, and no more than that.
        return security
    return security | {"seccompProfile": {"type": "RuntimeDefault"}}


def _started(placed: PlacedRecipe, service: PlacedService, profile: KvProfile | None) -> dict[str, Any]:
    """Return what the main container runs, and with which variables."""
    process, *others = service.processes
    if others:
        words, variables = supervised(placed, service)
        return {"command": words[:2], "args": words[2:], "env": listed(variables)}
    if service.placement is None:
        command = shlex.join(["python3", "-m", "dynamo.frontend", *process.arguments])
    else:
        command = worker_command(placed, service, process)
    directories = ":".join(profile.library_directories) if profile else ""
    libraries = f'export LD_LIBRARY_PATH="{directories}:$LD_LIBRARY_PATH" && ' if directories else ""
    return {
        "command": ["/bin/sh", "-c"],
        # With `exec` the engine takes the shell's place as process 1: a shell there would keep SIGTERM to
        # itself, and the worker would be killed with its requests when the grace period ends.
        "args": [f"{libraries}exec {command}"],
        "env": listed(process_environment(placed, service, process)),
    }


def _amounts(service: PlacedService, *, limits: bool) -> dict[str, str]:
    placement, sizes = service.placement, service.resources
    return {
        **({GPU_RESOURCE: str(service.gpus)} if service.gpus else {}),
        "cpu": str(sizes.cpu_limit if limits else sizes.cpu_request),
        "memory": f"{sizes.memory_gib}Gi",
        **(placement.extended_resources if placement else {}),
    }


def _rollout_annotations(rollout: Rollout) -> dict[str, str]:
    # Read by the operator since ai-dynamo/dynamo#4990. Its own default surges by a quarter, which waits
    # for ever in a pool that has no GPUs left for one more worker. Before 1.4 Recreate holds within one
    # generation of workers only (ai-dynamo/dynamo#11909); the limits below it reach across generations since
    # there are any (ai-dynamo/dynamo#6110): none more than wanted, and all of them may be missing.
    is_anew = rollout.strategy == "Recreate"
    return {
        "nvidia.com/deployment-strategy": rollout.strategy,
        "nvidia.com/deployment-rolling-update-max-surge": "0" if is_anew else "1",
        "nvidia.com/deployment-rolling-update-max-unavailable": "100%" if is_anew else "0",
    }
