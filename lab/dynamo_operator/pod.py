"""The pod of one component: the person's settings over the operator's defaults, merged as there.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.admission.service_rules import FRONTEND_SIDECAR
from lab.dynamo_operator.components import FRONTEND, dynamo_namespace, effective_type, is_worker
from lab.dynamo_operator.containers import base_container

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration

DISCOVERY_BACKEND = "nvidia.com/dynamo-discovery-backend"
_FILE_SYSTEM_GROUP = 1000
_SHARED_MEMORY_SIZE = "8Gi"
_SHARED_MEMORY = "shared-memory"
_COMPILATION_CACHE = {"vllm": "/root/.cache/vllm"}
_GPU_RESOURCE = "nvidia.com/gpu"


class CannotReconcile(Exception):  # noqa: N818  # what the operator reports, not a fault of the program
    """The operator gives up on the graph; the text becomes its condition's message."""


def pod_spec(
    graph: Manifest,
    service: Manifest,
    configuration: OperatorConfiguration,
    worker_hash: str,
    pull_secrets: list[str],
) -> Manifest:
    """The pod spec of one component. Raises CannotReconcile where the real operator gives up."""
    extra: Manifest = service.get("extraPodSpec") or {}
    own: Manifest = {key: value for key, value in extra.items() if key != "mainContainer"}
    container = _main_container(graph, service, configuration, worker_hash)
    pod = _merge({"terminationGracePeriodSeconds": 60, "restartPolicy": "Always"}, own)
    # Any security context of one's own, even a partial one, replaces the default group altogether.
    if "securityContext" not in own:
        pod["securityContext"] = {"fsGroup": _FILE_SYSTEM_GROUP}
    if discovers_by_kubernetes(graph, configuration):
        pod.setdefault("serviceAccountName", discovery_account(graph))
    pod["volumes"] = [*pod.get("volumes", []), *_add_claims(graph, service, container)]
    _add_shared_memory(service, pod, container)
    pod["containers"] = [*pod.get("containers", []), container]
    if service.get("frontendSidecar"):
        pod["containers"].append(_sidecar(graph, service, configuration))
    listed = [entry["name"] for entry in pod.get("imagePullSecrets", [])]
    names = [*listed, *(name for name in pull_secrets if name not in listed)]
    if names:
        pod["imagePullSecrets"] = [{"name": name} for name in names]
    return pod


def discovers_by_kubernetes(graph: Manifest, configuration: OperatorConfiguration) -> bool:
    """Whether components find each other through the API server rather than etcd."""
    annotations = graph["metadata"].get("annotations") or {}
    return annotations.get(DISCOVERY_BACKEND, configuration.discovery_backend) != "etcd"


def discovery_account(graph: Manifest) -> str:
    """The ServiceAccount that components use to find each other."""
    return f"{graph['metadata']['name']}-k8s-service-discovery"


def _main_container(
    graph: Manifest, service: Manifest, configuration: OperatorConfiguration, worker_hash: str
) -> Manifest:
    base = base_container(effective_type(service), _identity(graph, service, configuration, worker_hash))
    own: Manifest = (service.get("extraPodSpec") or {}).get("mainContainer") or {}
    container = _merge(base, own)
    container["env"] = _merge_environment(base["env"], own.get("env", []))
    for variables in (graph["spec"].get("envs"), service.get("envs")):
        container["env"] = _merge_environment(container["env"], variables or [])
    container["env"] = _merge_environment(_infrastructure(configuration), container["env"])
    for probe, replacement in (
        ("startupProbe", own.get("startupProbe")),
        ("livenessProbe", service.get("livenessProbe")),
        ("readinessProbe", service.get("readinessProbe")),
    ):
        if replacement is not None:
            container[probe] = replacement
    container["resources"] = _merge(own.get("resources") or {}, _resources(service.get("resources") or {}))
    if service.get("envFromSecret"):
        source = {"secretRef": {"name": service["envFromSecret"]}}
        container["envFrom"] = [*container.get("envFrom", []), source]
    return container


def _identity(
    graph: Manifest, service: Manifest, configuration: OperatorConfiguration, worker_hash: str
) -> dict[str, str]:
    metadata = graph["metadata"]
    identity = {
        "DYN_NAMESPACE": dynamo_namespace(graph, service),
        "DYN_COMPONENT": effective_type(service),
        "DYN_PARENT_DGD_K8S_NAME": metadata["name"],
        "DYN_PARENT_DGD_K8S_NAMESPACE": metadata["namespace"],
    }
    if is_worker(service) and worker_hash:
        # Keeps the requests of one generation of workers away from the other during a rolling update.
        identity["DYN_NAMESPACE_WORKER_SUFFIX"] = worker_hash
    if discovers_by_kubernetes(graph, configuration):
        identity["DYN_DISCOVERY_BACKEND"] = "kubernetes"
    return identity


def _infrastructure(configuration: OperatorConfiguration) -> list[dict[str, Any]]:
    addresses = {
        "NATS_SERVER": configuration.nats_address,
        "ETCD_ENDPOINTS": configuration.etcd_address,
        "MODEL_EXPRESS_URL": configuration.model_express_url,
        "PROMETHEUS_ENDPOINT": configuration.prometheus_endpoint,
    }
    return [{"name": name, "value": address} for name, address in addresses.items() if address]


def _resources(resources: Manifest) -> Manifest:
    """The graph's own resource keys as Kubernetes names them."""
    result: Manifest = {}
    for kind in ("requests", "limits"):
        given: Manifest = resources.get(kind) or {}
        amounts = {key: given[key] for key in ("cpu", "memory") if key in given}
        if "gpu" in given:
            amounts[given.get("gpuType") or _GPU_RESOURCE] = given["gpu"]
        amounts |= given.get("custom") or {}
        if amounts:
            result[kind] = amounts
    if resources.get("claims"):
        result["claims"] = resources["claims"]
    return result


def _add_claims(graph: Manifest, service: Manifest, container: Manifest) -> list[Manifest]:
    """Mounts each volumeMounts entry; returns the volumes, one for the claim of the same name each."""
    volumes: list[Manifest] = []
    for mount in service.get("volumeMounts") or []:
        framework = graph["spec"].get("backendFramework", "")
        path = mount.get("mountPoint") or _COMPILATION_CACHE.get(framework)
        if path is None:
            raise CannotReconcile(
                f"volumeMount with useAsCompilationCache=true requires an explicit mountPoint for {framework}"
            )
        volumes.append({"name": mount["name"], "persistentVolumeClaim": {"claimName": mount["name"]}})
        container["volumeMounts"] = [
            *container.get("volumeMounts", []),
            {"name": mount["name"], "mountPath": path},
        ]
    return volumes


def _add_shared_memory(service: Manifest, pod: Manifest, container: Manifest) -> None:
    memory: Manifest = service.get("sharedMemory") or {}
    if memory.get("disabled"):
        return
    size = str(memory.get("size", _SHARED_MEMORY_SIZE))
    pod["volumes"].append({"name": _SHARED_MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": size}})
    mount = {"name": _SHARED_MEMORY, "mountPath": "/dev/shm"}  # noqa: S108  # the container's, not this machine's
    container["volumeMounts"] = [*container.get("volumeMounts", []), mount]


def _sidecar(graph: Manifest, service: Manifest, configuration: OperatorConfiguration) -> Manifest:
    settings: Manifest = service["frontendSidecar"]
    container = base_container(FRONTEND, _identity(graph, {"componentType": FRONTEND}, configuration, ""))
    container |= {"name": FRONTEND_SIDECAR, "image": settings["image"]}
    if settings.get("args"):
        container["args"] = settings["args"]
    if settings.get("envFromSecret"):
        container["envFrom"] = [{"secretRef": {"name": settings["envFromSecret"]}}]
    variables = _merge_environment(container["env"], settings.get("envs") or [])
    container["env"] = _merge_environment(_infrastructure(configuration), variables)
    return container


def _merge(base: Any, own: Any) -> Any:
    """The person's values over the defaults: objects merge, lists are replaced, emptiness changes nothing.

    An exec probe therefore ends up beside the default httpGet, which the API server refuses, as in reality.
    """
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {key: _merge(base.get(key), value) for key, value in own.items()}
    return base if own in (None, "", [], {}, 0, False) and base is not None else own


def _merge_environment(base: list[dict[str, Any]], own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    merged = {variable["name"]: variable for variable in base}
    return list((merged | {variable["name"]: variable for variable in own}).values())
