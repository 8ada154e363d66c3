"""The pod of one component: the person's settings over the operator's defaults, merged as there.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec) at 0a132bc43.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.dynamo_operator.components import FRONTEND, pod_metadata
from lab.dynamo_operator.containers import base_container
from lab.dynamo_operator.conversion.native import MAIN, main_of, merge, place

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration

DISCOVERY_BACKEND = "nvidia.com/dynamo-discovery-backend"
_FILE_SYSTEM_GROUP = 1000
_SHARED_MEMORY_SIZE = "8Gi"
_SHARED_MEMORY = "shared-memory"
_SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108  # the container's, not this machine's
_COMPILATION_CACHE = {"vllm": "/root/.cache/vllm"}


class CannotReconcile(Exception):  # noqa: N818  # what the operator reports, not a fault of the program
    """The operator gives up on the graph; the text becomes its condition's message."""


@dataclass(frozen=True)
class Place:
    """Where a pod belongs: its graph, its Dynamo namespace, its generation ("" for what is not a worker)."""

    graph: str
    namespace: str
    dynamo_namespace: str
    worker_hash: str


def pod_spec(
    component: Manifest, where: Place, configuration: OperatorConfiguration, pull_secrets: list[str]
) -> Manifest:
    """The pod spec of one component. Raises CannotReconcile where the real operator gives up."""
    own: Manifest = (component.get("podTemplate") or {}).get("spec") or {}
    containers: list[Manifest] = own.get("containers") or []
    discovery = discovers_by_kubernetes(configuration, pod_metadata(component, "annotations"))
    container = base_container(component.get("type", ""), _identity(component, where, discovery=discovery))
    main = main_of(containers)
    if main is not None:
        container = _own_container(container, main)
    for mount in container.get("volumeMounts", []):
        if not mount.get("mountPath"):
            raise CannotReconcile(f"volumeMount.mountPath is required for {mount['name']}")
    _mount_compilation_cache(container, component)
    container["env"] = _environment(_infrastructure(configuration), container["env"])
    mounts_of_main = list(container.get("volumeMounts", []))
    rest = {key: value for key, value in own.items() if key != "containers"}
    pod: Manifest = merge({"terminationGracePeriodSeconds": 60, "restartPolicy": "Always"}, rest)
    # Any security context of one's own, even a partial one, replaces the default group altogether.
    if own.get("securityContext") is None:
        pod["securityContext"] = {"fsGroup": _FILE_SYSTEM_GROUP}
    if discovery:
        pod.setdefault("serviceAccountName", discovery_account(where.graph))
    _add_shared_memory(component, pod, container)
    pod["containers"] = [container, *(each for each in containers if each["name"] != MAIN)]
    if component.get("frontendSidecar"):
        _complete_sidecar(pod, component, where, configuration, mounts_of_main)
    volumes = _with_claims(pod.pop("volumes", []), container.get("volumeMounts", []))
    if volumes:
        pod["volumes"] = volumes
    listed = [entry["name"] for entry in pod.get("imagePullSecrets", [])]
    names = [*listed, *(name for name in pull_secrets if name not in listed)]
    if names:
        pod["imagePullSecrets"] = [{"name": name} for name in names]
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
    """Both by name; `own` wins."""
    merged = {variable["name"]: variable for variable in [*base, *own]}
    return [merged[name] for name in sorted(merged)]


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


def _mount_compilation_cache(container: Manifest, component: Manifest) -> None:
    cache: Manifest | None = component.get("compilationCache")
    if cache is None:
        return
    framework: str = component.get("backendFramework", "")
    path = cache.get("mountPath") or _COMPILATION_CACHE.get(framework)
    if path is None:
        raise CannotReconcile(
            f"compilationCache.mountPath is required for backend framework {framework} (no default available)"
        )
    mounts: list[Manifest] = container.get("volumeMounts", [])
    container["volumeMounts"] = [*mounts, {"name": cache["pvcName"], "mountPath": path}]


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


def _complete_sidecar(
    pod: Manifest,
    component: Manifest,
    where: Place,
    configuration: OperatorConfiguration,
    mounts: list[Manifest],
) -> None:
    """A named container becomes a whole frontend, with the main container's mounts."""
    name: str = component["frontendSidecar"]
    discovery = discovers_by_kubernetes(configuration, pod_metadata(component, "annotations"))
    graph = Place(where.graph, where.namespace, where.dynamo_namespace, "")
    for index, own in enumerate(pod["containers"]):
        if own["name"] == name:
            base = base_container(FRONTEND, _identity({"type": FRONTEND}, graph, discovery=discovery))
            container: Manifest = _own_container(base, own) | {"name": name}
            container["env"] = _environment(_infrastructure(configuration), container["env"])
            there = {each["name"] for each in container.get("volumeMounts", [])}
            further = [each for each in mounts if each["name"] not in there]
            if further:
                container["volumeMounts"] = [*container.get("volumeMounts", []), *further]
            pod["containers"][index] = container
            return
    raise CannotReconcile(f'frontendSidecar "{name}" does not match any podTemplate container')
