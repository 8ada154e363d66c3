"""The fields that the API server will not change in place: a change there replaces the object."""

from __future__ import annotations

import re
from typing import Any

_IDENTITY = (".metadata.name", ".metadata.namespace")

_CONTAINER_FIELDS = (
    "args", "command", "env", "image", "imagePullPolicy", "lifecycle", "livenessProbe", "ports",
    "readinessProbe", "resources", "securityContext", "stdin", "stdinOnce", "terminationMessagePath",
    "terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir",
)  # fmt: skip

_POD_FIELDS = (
    "affinity", "automountServiceAccountToken", "dnsConfig", "dnsPolicy", "enableServiceLinks",
    "hostAliases", "hostIPC", "hostNetwork", "hostPID", "hostname", "imagePullSecrets", "nodeName",
    "nodeSelector", "overhead", "preemptionPolicy", "priority", "priorityClassName", "readinessGates",
    "restartPolicy", "runtimeClassName", "schedulerName", "securityContext", "serviceAccount",
    "serviceAccountName", "shareProcessNamespace", "subdomain", "terminationGracePeriodSeconds",
    "volumes",
)  # fmt: skip

_VOLUME_SOURCES = (
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "csi", "fc", "flexVolume",
    "flocker", "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs",
    "photonPersistentDisk", "portworxVolume", "quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume",
)  # fmt: skip


def _under(prefix: str, *fields: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{field}" for field in fields)


_ROLE_BINDING = (".roleRef",)

# (group, kind) -> paths. Source: pulumi-kubernetes provider/pkg/provider/diff.go.
_PATHS: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "PersistentVolumeClaim"): _under(
        ".spec", "accessModes", "selector", "storageClassName", "volumeName"
    ),
    ("", "PersistentVolume"): _under(".spec", *_VOLUME_SOURCES),
    ("", "Pod"): (
        *_under(".spec", *_POD_FIELDS),
        *_under(".spec.containers[*]", *_CONTAINER_FIELDS),
        *_under(".spec.initContainers[*]", *_CONTAINER_FIELDS),
    ),
    ("", "ConfigMap"): (".data", ".binaryData"),
    ("", "Secret"): (".type", ".data", ".stringData"),
    ("", "Service"): (".spec.clusterIP",),
    ("", "ResourceQuota"): (".spec.scopes",),
    ("apps", "Deployment"): (".spec.selector",),
    ("apps", "DaemonSet"): (".spec.selector",),
    ("apps", "StatefulSet"): _under(
        ".spec",
        "selector",
        "serviceName",
        "podManagementPolicy",
        "revisionHistoryLimit",
        "volumeClaimTemplates",
    ),
    ("batch", "Job"): _under(".spec", "selector", "template", "completions", "parallelism"),
    ("rbac.authorization.k8s.io", "RoleBinding"): _ROLE_BINDING,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _ROLE_BINDING,
    ("storage.k8s.io", "StorageClass"): _under("", "parameters", "provisioner"),
}

_PART = re.compile(r"[^.\[\]]+|\[\*\]")

Path = tuple[str | int, ...]


def forcing_paths(inputs: dict[str, Any]) -> tuple[str, ...]:
    """The paths of the object's kind, "[*]" standing for any index."""
    group, _, _ = str(inputs.get("apiVersion", "")).rpartition("/")
    return (*_IDENTITY, *_PATHS.get((group, str(inputs.get("kind", ""))), ()))


def forces_replacement(path: Path, value: Any, forcing: tuple[str, ...]) -> bool:
    """Whether a change at `path` to `value` lies at, under or around one of the forcing paths."""
    return any(_touches(path, value, _PART.findall(pattern)) for pattern in forcing)


def _touches(path: Path, value: Any, pattern: list[str]) -> bool:
    for part, wanted in zip(path, pattern, strict=False):
        if wanted == "[*]":
            if not isinstance(part, int):
                return False
        elif part != wanted:
            return False
    return _holds(value, pattern[len(path) :])


def _holds(value: Any, rest: list[str]) -> bool:
    if not rest:
        return True
    head, tail = rest[0], rest[1:]
    if head == "[*]":
        return isinstance(value, list) and any(_holds(item, tail) for item in value)
    return isinstance(value, dict) and head in value and _holds(value[head], tail)
