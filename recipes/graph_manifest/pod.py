"""The parts of a pod that both API versions take as Kubernetes words them."""

from typing import Any

from recipes.draining import TERMINATION_GRACE_SECONDS
from recipes.graph_manifest.security import POD_SECURITY, container_security
from recipes.graph_manifest.services import GraphService
from recipes.node_directory import directory_volume, waiting_container
from recipes.pod_environment import ENGINE_FILES_DIRECTORY

ENGINE_FILES_VOLUME = "engine-files"
_NODE_CACHE_VOLUME = "model-cache"
CHANNEL_CLAIM = "compute-domain-channel"


def pod_fields(service: GraphService) -> dict[str, Any]:
    """Return the pod spec without its containers."""
    fields: dict[str, Any] = {
        **service.scheduling,
        "securityContext": dict(POD_SECURITY),
        "terminationGracePeriodSeconds": TERMINATION_GRACE_SECONDS,
    }
    volumes: list[dict[str, Any]] = []
    if service.engine_config_map_name:
        volumes.append({"name": ENGINE_FILES_VOLUME, "configMap": {"name": service.engine_config_map_name}})
    if service.cache_directory:
        volumes.append(directory_volume(_NODE_CACHE_VOLUME, service.cache_directory))
        fields["initContainers"] = [_wait(service)]
    if service.cache_claim_name:
        claim = service.cache_claim_name
        volumes.append({"name": claim, "persistentVolumeClaim": {"claimName": claim}})
    if volumes:
        fields["volumes"] = volumes
    if service.channel_template_name:
        template = service.channel_template_name
        fields["resourceClaims"] = [{"name": CHANNEL_CLAIM, "resourceClaimTemplateName": template}]
    return fields


def container_fields(service: GraphService) -> dict[str, Any]:
    """Return the main container without resources.

    No probes: the operator's stay. Its readiness probe of a frontend passes before any model is known
    (ai-dynamo/dynamo#11178), but no HTTP probe can look into the list that GET /v1/models answers.
    """
    container = service.container
    fields: dict[str, Any] = {
        "image": container.image,
        "command": ["/bin/sh", "-c"],
        "args": [container.shell_command],
        "env": [{"name": name, "value": value} for name, value in container.environment.items()],
        "securityContext": dict(container.security),
    }
    if container.working_directory:
        fields["workingDir"] = container.working_directory
    mounts: list[dict[str, Any]] = []
    if service.engine_config_map_name:
        mounts.append({"name": ENGINE_FILES_VOLUME, "mountPath": ENGINE_FILES_DIRECTORY, "readOnly": True})
    if service.cache_directory or service.cache_claim_name:
        mounts.append(_cache_mount(service))
    if mounts:
        fields["volumeMounts"] = mounts
    return fields


def container_claims(service: GraphService) -> list[dict[str, Any]]:
    """Return the pod's claims that the container uses: a claim of the pod alone gives it no device."""
    return [{"name": CHANNEL_CLAIM}] if service.channel_template_name else []


def _cache_mount(service: GraphService) -> dict[str, Any]:
    return {"name": service.cache_claim_name or _NODE_CACHE_VOLUME, "mountPath": service.cache_mount_path}


def _wait(service: GraphService) -> dict[str, Any]:
    security = container_security(None, has_gpus=False)
    return waiting_container(service.container.image, security, _cache_mount(service), service.cache_marker)
