"""What NATS and etcd servers have in common: members with a fixed name and a volume each."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import StatefulSet
from pulumi_kubernetes.core.v1 import Service
from pulumi_kubernetes.policy.v1 import PodDisruptionBudget

from components.options import WITH_PODS, Resources, child
from recipes.pod_placement import NODES_WITHOUT_GPUS
from stacks.plan.platform.platform_plan import DATA_VOLUME, Servers

NAME_LABEL = "app.kubernetes.io/name"
# The provider waits until a Service's endpoints have not changed for ten seconds; that the members are ready
# is what the StatefulSet's own wait says.
# https://www.pulumi.com/registry/packages/kubernetes/installation-configuration/
SKIP_AWAIT = "pulumi.com/skipAwait"
POD_NAME: dict[str, Any] = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}

# Neither image needs a user of its own; the distroless images' "nonroot" exists nowhere else on a node.
_USER = 65532


def register_servers(
    parent: pulumi.Resource,
    name: str,
    servers: Servers,
    container: Mapping[str, Any],
    *,
    depends_on: Resources,
    data_path: str,
    termination_seconds: int,
    volumes: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Register StatefulSet, Services and PodDisruptionBudget below the parent, on which clients depend.

    Args:
        parent: the component.
        name: prefix of the logical names.
        servers: the members.
        container: a Kubernetes Container, whose port for clients is named client; security context and data
            volume are added.
        depends_on: what must exist before the first pod.
        data_path: where the container has its volume.
        termination_seconds: how long a member may take to end.
        volumes: of the pod, beside that with the data.

    """
    ports: Any = [
        {"name": port["name"], "port": port["containerPort"], "target_port": port["name"]}
        for port in container["ports"]
    ]
    options = child(parent, depends_on, timeout=servers.ready_timeout_seconds, delete=WITH_PODS)
    headless = Service(
        f"{name}-headless",
        metadata={"name": servers.headless_name, "namespace": servers.namespace},
        spec={
            "cluster_ip": "None",
            # Members look for each other before any of them can be ready.
            "publish_not_ready_addresses": True,
            "selector": _labels(servers),
            "ports": ports,
        },
        opts=options,
    )
    Service(
        f"{name}-service",
        metadata={"name": servers.name, "namespace": servers.namespace, "annotations": {SKIP_AWAIT: "true"}},
        spec={
            "selector": _labels(servers),
            "ports": [port for port in ports if port["name"] == "client"],
        },
        opts=options,
    )
    if servers.typed.members > 1:
        # A budget for a single member could never spare it: every drain of its node would wait for ever.
        PodDisruptionBudget(
            f"{name}-disruption-budget",
            metadata={"name": servers.name, "namespace": servers.namespace},
            spec={"max_unavailable": 1, "selector": {"match_labels": _labels(servers)}},
            opts=options,
        )
    mounts = [{"name": DATA_VOLUME, "mountPath": data_path}, *container.get("volumeMounts", [])]
    pod = _pod_spec(servers, {**container, "volumeMounts": mounts}) | {
        "terminationGracePeriodSeconds": termination_seconds,
        **({"volumes": [dict(volume) for volume in volumes]} if volumes else {}),
    }
    StatefulSet(
        name,
        metadata={"name": servers.name, "namespace": servers.namespace},
        spec=_stateful_set(servers, pod),
        opts=pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[headless])),
    )


def probe(port: str, path: str, *, failures: int, period: int = 10) -> dict[str, Any]:
    """Return a probe of a member over HTTP."""
    return {
        "httpGet": {"path": path, "port": port},
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }


def _labels(servers: Servers) -> dict[str, str]:
    return {NAME_LABEL: servers.name}


def _stateful_set(servers: Servers, pod: Mapping[str, Any]) -> Any:
    return {
        "serviceName": servers.headless_name,
        "replicas": servers.typed.members,
        # One after the other would never end: the first member is ready only when a second one answers.
        "podManagementPolicy": "Parallel",
        "updateStrategy": {"type": "RollingUpdate"},
        "persistentVolumeClaimRetentionPolicy": {
            "whenDeleted": "Retain" if servers.keep_volumes else "Delete",
            "whenScaled": "Retain",
        },
        "selector": {"matchLabels": _labels(servers)},
        "template": {"metadata": {"labels": _labels(servers)}, "spec": pod},
        "volumeClaimTemplates": [
            {
                "metadata": {"name": DATA_VOLUME},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": servers.typed.storage_class_name,
                    "resources": {"requests": {"storage": servers.typed.volume_size}},
                },
            }
        ],
    }


def _pod_spec(servers: Servers, container: Mapping[str, Any]) -> dict[str, Any]:
    security = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    spec: dict[str, Any] = {
        "affinity": {"nodeAffinity": dict(NODES_WITHOUT_GPUS)},
        "automountServiceAccountToken": False,
        # Otherwise a Service called etcd or nats becomes ETCD_… or NATS_… variables, which servers read.
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [{**container, "securityContext": security}],
    }
    if servers.typed.members > 1:
        spec["topologySpreadConstraints"] = [
            # Two members on one node would take the majority with it.
            _spread(servers, "kubernetes.io/hostname", "DoNotSchedule"),
            # A cluster may have fewer zones than members.
            _spread(servers, "topology.kubernetes.io/zone", "ScheduleAnyway"),
        ]
    return spec


def _spread(servers: Servers, topology_key: str, otherwise: str) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": topology_key,
        "whenUnsatisfiable": otherwise,
        "labelSelector": {"matchLabels": _labels(servers)},
    }
