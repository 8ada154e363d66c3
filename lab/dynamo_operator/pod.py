"""The pod of one component: the person's settings over the operator's defaults, merged as there.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec) at 0a132bc43.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.dynamo_operator.components import pod_metadata
from lab.dynamo_operator.containers import base_container
from lab.dynamo_operator.conversion.native import (
    MAIN,
    containers_of,
    main_of,
    merge,
    merge_environment,
    place,
)

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration

DISCOVERY_BACKEND = "nvidia.com/dynamo-discovery-backend"
_FILE_SYSTEM_GROUP = 1000
_SHARED_MEMORY_SIZE = "8Gi"
_SHARED_MEMORY = "shared-memory"
_SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108  # the container's, not this machine's


class CannotReconcile(Exception):  # noqa: N818  # what the operator reports, not a fault of the program
    """The operator gives up on the graph; the text becomes its condition's message."""


@dataclass(frozen=True)
class Place:
    """Where a pod belongs: its graph, its Dynamo namespace, its generation ("" for what is not a worker)."""

    graph: str
    namespace: str
    dynamo_namespace: str
    worker_hash: str


def pod_spec(component: Manifest, where: Place, configuration: OperatorConfiguration) -> Manifest:
    """The pod spec of one component. Raises CannotReconcile where the real operator gives up."""
    own: Manifest = (component.get("podTemplate") or {}).get("spec") or {}
    containers = containers_of(component)
    discovery = discovers_by_kubernetes(configuration, pod_metadata(component, "annotations"))
    container = base_container(component.get("type", ""), _identity(component, where, discovery=discovery))
    main = main_of(containers)
    if main is not None:
        container = _own_container(container, main)
    for mount in container.get("volumeMounts", []):
        if not mount.get("mountPath"):
            raise CannotReconcile(f"volumeMount.mountPath is required for {mount['name']}")
    container["env"] = _environment(_infrastructure(configuration), container["env"])
    rest = {key: value for key, value in own.items() if key != "containers"}
    pod: Manifest = merge({"terminationGracePeriodSeconds": 60, "restartPolicy": "Always"}, rest)
    # Any security context of one's own, even a partial one, replaces the default group altogether.
    if own.get("securityContext") is None:
        pod["securityContext"] = {"fsGroup": _FILE_SYSTEM_GROUP}
    if discovery:
        pod.setdefault("serviceAccountName", discovery_account(where.graph))
    _add_shared_memory(component, pod, container)
    pod["containers"] = [container, *(each for each in containers if each["name"] != MAIN)]
    volumes = _with_claims(pod.pop("volumes", []), container.get("volumeMounts", []))
    if volumes:
        pod["volumes"] = volumes
    return pod


def discovers_by_kubernetes(configuration: OperatorConfiguration, annotations: dict[str, str]) -> bool:
    """Whether components find each other through the API server rather than etcd."""
    return annotations.get(DISCOVERY_BACKEND, configuration.discovery_backend) != "etcd"


def discovery_account(graph: str) -> str:
    """The ServiceAccount that components use to find each other."""
    return f"{graph}-k8s-service-discovery"


def _own_container(base: Manifest, own: Manifest) -> Manifest:
    container: Manifest = merge(base, own)
    container["env"] = _environment(base["env"], own.get("env") or [])
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if own.get(probe):
            container[probe] = own[probe]
    return container


def _environment(base: list[Manifest], own: list[Manifest]) -> list[Manifest]:
    """Both in the order of their names; `own` wins."""
    return sorted(merge_environment(base, own), key=lambda variable: variable["name"])


def _identity(component: Manifest, where: Place, *, discovery: bool) -> dict[str, str]:
    identity = {
        "DYN_NAMESPACE": where.dynamo_namespace,
        "DYN_COMPONENT": component.get("type", ""),
        "DYN_PARENT_DGD_K8S_NAME": where.graph,
        "DYN_PARENT_DGD_K8S_NAMESPACE": where.namespace,
    }
    if where.worker_hash:
        # Keeps the requests of one generation of workers away from the other during a rolling update.
        identity["DYN_NAMESPACE_WORKER_SUFFIX"] = where.worker_hash
    if discovery:
        identity["DYN_DISCOVERY_BACKEND"] = "kubernetes"
    return identity


def _infrastructure(configuration: OperatorConfiguration) -> list[Manifest]:
    addresses = {
        "NATS_SERVER": configuration.nats_address,
        "ETCD_ENDPOINTS": configuration.etcd_address,
        "MODEL_EXPRESS_URL": configuration.model_express_url,
        "PROMETHEUS_ENDPOINT": configuration.prometheus_endpoint,
    }
    return [{"name": name, "value": address} for name, address in addresses.items() if address]


def _add_shared_memory(component: Manifest, pod: Manifest, container: Manifest) -> None:
    size = str(component.get("sharedMemorySize", _SHARED_MEMORY_SIZE))
    if size == "0":
        return
    volume = {"name": _SHARED_MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": size}}
    others = [each for each in pod.get("volumes", []) if each["name"] != _SHARED_MEMORY]
    pod["volumes"] = [*others, volume]
    mounts = [
        each
        for each in container.get("volumeMounts", [])
        if each["name"] != _SHARED_MEMORY and place(each)[1] != _SHARED_MEMORY_PATH
    ]
    container["volumeMounts"] = [*mounts, {"name": _SHARED_MEMORY, "mountPath": _SHARED_MEMORY_PATH}]


def _with_claims(volumes: list[Manifest], mounts: list[Manifest]) -> list[Manifest]:
    """The volumes in the order of the mounts; a mount without a volume is a claim of the same name."""
    by_name = {volume["name"]: volume for volume in volumes}
    ordered = {
        mount["name"]: by_name.get(mount["name"])
        or {"name": mount["name"], "persistentVolumeClaim": {"claimName": mount["name"]}}
        for mount in mounts
    }
    return list((ordered | {name: ordered.get(name, volume) for name, volume in by_name.items()}).values())
