"""Whether the operator is installed, and how: read from the objects of its Helm release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.dynamo_operator.configuration import CONFIG_KEY, OperatorConfiguration

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest

MANAGER_LABELS = {"app.kubernetes.io/created-by": "dynamo-operator", "control-plane": "controller-manager"}
_CONFIG_VOLUME = "operator-config"
_VERSION_FLAG = "--operator-version="


@dataclass(frozen=True)
class Installation:
    """One installed operator whose pod runs."""

    namespace: str
    deployment: str
    pod_uid: str
    applies_crds: bool
    configuration: OperatorConfiguration


async def find_installation(api: KubernetesApi) -> Installation | None:
    """The operator whose Deployment is Available and has a running pod; None without one."""
    for deployment in await api.list("apps/v1", "Deployment", labels=MANAGER_LABELS):
        if not _is_available(deployment):
            continue
        pod_uid = await _running_pod(api, deployment)
        configuration = await _configuration(api, deployment)
        if pod_uid is not None and configuration is not None:
            return Installation(
                namespace=deployment["metadata"]["namespace"],
                deployment=deployment["metadata"]["name"],
                pod_uid=pod_uid,
                applies_crds=any(
                    container["name"] == "crd-apply"
                    for container in _pod_spec(deployment).get("initContainers", [])
                ),
                configuration=configuration,
            )
    return None


def _is_available(deployment: Manifest) -> bool:
    if deployment["metadata"].get("deletionTimestamp"):
        return False
    conditions = deployment.get("status", {}).get("conditions", [])
    return any(each["type"] == "Available" and each["status"] == "True" for each in conditions)


async def _running_pod(api: KubernetesApi, deployment: Manifest) -> str | None:
    selector = deployment["spec"]["selector"]["matchLabels"]
    for pod in await api.list("v1", "Pod", deployment["metadata"]["namespace"], selector):
        if pod["status"].get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp"):
            uid: str = pod["metadata"]["uid"]
            return uid
    return None


async def _configuration(api: KubernetesApi, deployment: Manifest) -> OperatorConfiguration | None:
    volumes = {volume["name"]: volume for volume in _pod_spec(deployment).get("volumes", [])}
    name = volumes[_CONFIG_VOLUME]["configMap"]["name"]
    config_map = await api.get("v1", "ConfigMap", name, deployment["metadata"]["namespace"])
    if config_map is None or CONFIG_KEY not in config_map.get("data", {}):
        return None
    arguments: list[str] = _pod_spec(deployment)["containers"][0]["args"]
    version = next(each.removeprefix(_VERSION_FLAG) for each in arguments if each.startswith(_VERSION_FLAG))
    return OperatorConfiguration.from_config_map(config_map, version)


def _pod_spec(deployment: Manifest) -> Manifest:
    spec: Manifest = deployment["spec"]["template"]["spec"]
    return spec
