"""Whether the operator is installed, and how: read from the objects of its Helm release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest

MANAGER_LABELS = {"app.kubernetes.io/created-by": "dynamo-operator", "control-plane": "controller-manager"}
# Keeps the operator's pod from being scheduled, and so from being Ready, until this process plays it.
SCHEDULING_GATE = "simulated.local/dynamo-operator"
_CONFIG_KEY = "config.yaml"
_CONFIG_VOLUME = "operator-config"
_VERSION_FLAG = "--operator-version="


@dataclass(frozen=True)
class OperatorConfiguration:
    """The settings that change what the operator makes of a graph."""

    version: str
    nats_address: str = ""
    etcd_address: str = ""
    discovery_backend: str = "kubernetes"
    certificate_secret: str = ""
    webhook_service: str = ""
    webhook_port: int = 9443
    planner_role: str = ""

    @classmethod
    def from_config_map(cls, config_map: Manifest, version: str) -> OperatorConfiguration:
        """Reads kind OperatorConfiguration (operator.config.dynamo.nvidia.com/v1alpha1)."""
        config = yaml.safe_load(config_map["data"][_CONFIG_KEY])
        infrastructure = config["infrastructure"]
        webhook = config["server"]["webhook"]
        return cls(
            version=version,
            nats_address=infrastructure["natsAddress"],
            etcd_address=infrastructure["etcdAddress"],
            discovery_backend=config["discovery"]["backend"],
            certificate_secret=webhook["secretName"],
            webhook_service=webhook["serviceName"],
            webhook_port=webhook["port"],
            planner_role=config["rbac"]["plannerClusterRoleName"],
        )


@dataclass(frozen=True)
class Installation:
    """One installed operator that has a pod."""

    namespace: str
    deployment: str
    pod_uid: str
    applies_crds: bool
    configuration: OperatorConfiguration


async def find_installation(api: KubernetesApi) -> Installation | None:
    """The operator whose Deployment has a pod that runs or is about to; None without one."""
    for deployment in await api.list("apps/v1", "Deployment", labels=MANAGER_LABELS):
        pods = await _live_pods(api, deployment)
        configuration = await _configuration(api, deployment)
        if pods and configuration is not None:
            return Installation(
                namespace=deployment["metadata"]["namespace"],
                deployment=deployment["metadata"]["name"],
                pod_uid=min(pod["metadata"]["uid"] for pod in pods),
                applies_crds=any(
                    container["name"] == "crd-apply"
                    for container in _pod_spec(deployment).get("initContainers", [])
                ),
                configuration=configuration,
            )
    return None


async def open_gates(api: KubernetesApi, installation: Installation) -> None:
    """Lets the operator's waiting pods be scheduled: from now on they are what this process does."""
    deployment = await api.get("apps/v1", "Deployment", installation.deployment, installation.namespace)
    for pod in await _live_pods(api, deployment) if deployment else []:
        gates = pod["spec"].get("schedulingGates", [])
        left = [gate for gate in gates if gate["name"] != SCHEDULING_GATE]
        if left != gates:
            await api.merge_patch(pod, {"spec": {"schedulingGates": left}})


async def _live_pods(api: KubernetesApi, deployment: Manifest) -> list[Manifest]:
    if deployment["metadata"].get("deletionTimestamp"):
        return []
    selector = deployment["spec"]["selector"]["matchLabels"]
    pods = await api.list("v1", "Pod", deployment["metadata"]["namespace"], selector)
    return [pod for pod in pods if _lives(pod)]


def _lives(pod: Manifest) -> bool:
    """Whether the pod runs, or nothing but its gate or the scheduler's next round keeps it from running."""
    status = pod.get("status", {})
    if pod["metadata"].get("deletionTimestamp") or status.get("phase") not in {"Pending", "Running"}:
        return False
    return not any(
        condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable"
        for condition in status.get("conditions", [])
    )


async def _configuration(api: KubernetesApi, deployment: Manifest) -> OperatorConfiguration | None:
    volumes = {volume["name"]: volume for volume in _pod_spec(deployment).get("volumes", [])}
    name = volumes[_CONFIG_VOLUME]["configMap"]["name"]
    config_map = await api.get("v1", "ConfigMap", name, deployment["metadata"]["namespace"])
    if config_map is None or _CONFIG_KEY not in config_map.get("data", {}):
        return None
    arguments: list[str] = _pod_spec(deployment)["containers"][0]["args"]
    version = next(each.removeprefix(_VERSION_FLAG) for each in arguments if each.startswith(_VERSION_FLAG))
    return OperatorConfiguration.from_config_map(config_map, version)


def _pod_spec(deployment: Manifest) -> Manifest:
    spec: Manifest = deployment["spec"]["template"]["spec"]
    return spec
