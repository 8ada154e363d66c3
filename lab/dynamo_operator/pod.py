"""The pod of one component: the person's settings over the operator's defaults, merged as there.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec) and
component_{common,frontend,worker}.go at 0a132bc43.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.components import FRONTEND, WORKER_TYPES, pod_metadata
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
    from lab.dynamo_operator.installation import OperatorConfiguration

SERVICE_PORT = 8000
SYSTEM_PORT = 9090
NIXL_PORT = 19090
# Metrics of each forward pass; the ranks of one worker count up from here.
_FORWARD_PASS_PORT = 20380
DISCOVERY_BACKEND = "nvidia.com/dynamo-discovery-backend"
_FILE_SYSTEM_GROUP = 1000
_SHARED_MEMORY_SIZE = "8Gi"
_SHARED_MEMORY = "shared-memory"
_SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108  # the container's, not this machine's


@dataclass(frozen=True)
class Place:
    """Where a pod belongs: its graph, its Dynamo namespace, its generation ("" for what is not a worker)."""

    graph: str
    namespace: str
    dynamo_namespace: str
    worker_hash: str


def pod_spec(component: Manifest, where: Place, configuration: OperatorConfiguration) -> Manifest:
    """The pod spec of one component."""
    own: Manifest = (component.get("podTemplate") or {}).get("spec") or {}
    containers = containers_of(component)
    discovery = discovers_by_kubernetes(configuration, pod_metadata(component, "annotations"))
    container = _base_container(component.get("type", ""), _identity(component, where, discovery=discovery))
    main = main_of(containers)
    if main is not None:
        container = _own_container(container, main)
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
    addresses = {"NATS_SERVER": configuration.nats_address, "ETCD_ENDPOINTS": configuration.etcd_address}
    return [{"name": name, "value": address} for name, address in addresses.items() if address]


def _add_shared_memory(component: Manifest, pod: Manifest, container: Manifest) -> None:
    size = str(component.get("sharedMemorySize", _SHARED_MEMORY_SIZE))
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


def _base_container(component_type: str, environment: dict[str, str]) -> Manifest:
    """Ports, probes and environment by type; a type that the operator does not know gets none of its own."""
    container: Manifest = {"name": "main", "command": ["/bin/sh", "-c"], "env": _variables(environment)}
    if component_type == FRONTEND:
        _add_frontend_defaults(container, environment["DYN_NAMESPACE"])
    elif component_type in WORKER_TYPES:
        _add_worker_defaults(container)
    return container


def _variables(environment: dict[str, str]) -> list[dict[str, Any]]:
    fields = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace", "POD_UID": "metadata.uid"}
    return [
        *({"name": name, "value": value} for name, value in environment.items()),
        *({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()),
    ]


def _add_frontend_defaults(container: Manifest, namespace: str) -> None:
    container["command"] = ["python3"]
    container["args"] = ["-m", "dynamo.frontend"]
    container["ports"] = [_port("http", SERVICE_PORT)]
    container["livenessProbe"] = _probe("/live", "http", period=10, timeout=1, failures=3, initial_delay=15)
    container["readinessProbe"] = _probe(
        "/health", "http", period=10, timeout=3, failures=3, initial_delay=10
    )
    container["env"] += [
        {"name": "DYNAMO_PORT", "value": str(SERVICE_PORT)},
        {"name": "DYN_HTTP_PORT", "value": str(SERVICE_PORT)},
        {"name": "DYN_NAMESPACE_PREFIX", "value": namespace},
    ]


def _add_worker_defaults(container: Manifest) -> None:
    container["ports"] = [_port("system", SYSTEM_PORT), _port("nixl", NIXL_PORT)]
    container["livenessProbe"] = _probe("/live", "system", period=5, timeout=4, failures=1)
    container["readinessProbe"] = _probe("/health", "system", period=10, timeout=4, failures=3)
    # Two hours: a first start loads the whole model.
    container["startupProbe"] = _probe("/live", "system", period=10, timeout=5, failures=720)
    container["env"] += [
        {"name": "DYN_SYSTEM_ENABLED", "value": "true"},
        {"name": "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", "value": '["generate"]'},
        {"name": "DYN_SYSTEM_PORT", "value": str(SYSTEM_PORT)},
        {"name": "DYN_HEALTH_CHECK_ENABLED", "value": "false"},
        {"name": "NIXL_TELEMETRY_ENABLE", "value": "n"},
        {"name": "NIXL_TELEMETRY_EXPORTER", "value": "prometheus"},
        {"name": "NIXL_TELEMETRY_PROMETHEUS_PORT", "value": str(NIXL_PORT)},
        {"name": "DYN_FORWARDPASS_METRIC_PORT", "value": str(_FORWARD_PASS_PORT)},
    ]


def _port(name: str, number: int) -> Manifest:
    return {"name": name, "containerPort": number, "protocol": "TCP"}


def _probe(
    path: str, port: str, *, period: int, timeout: int, failures: int, initial_delay: int = 0
) -> Manifest:
    probe: Manifest = {
        "httpGet": {"path": path, "port": port},
        "periodSeconds": period,
        "timeoutSeconds": timeout,
        "failureThreshold": failures,
    }
    if initial_delay:
        probe["initialDelaySeconds"] = initial_delay
    return probe
