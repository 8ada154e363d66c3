"""What NATS and etcd servers have in common: members with a fixed name and a volume each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import StatefulSet
from pulumi_kubernetes.core.v1 import Service
from pulumi_kubernetes.policy.v1 import PodDisruptionBudget

from components import removal
from components.options import Resources, child
from components.servers import DATA_VOLUME, StatefulServersArgs

NAME_LABEL = "app.kubernetes.io/name"
# The provider waits until a Service's endpoints have not changed for ten seconds; that the members are ready
# is what the StatefulSet's own wait says.
# https://www.pulumi.com/registry/packages/kubernetes/installation-configuration/
SKIP_AWAIT = "pulumi.com/skipAwait"
POD_NAME: dict[str, Any] = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}

# Neither image needs a user of its own; the distroless images' "nonroot" exists nowhere else on a node.
_USER = 65532


@dataclass(frozen=True, slots=True)
class ServerPod:
    """What one member runs."""

    container: Mapping[str, Any]
    """A Kubernetes Container, whose port for clients is named client; security context and data volume are
    added."""
    data_path: str
    termination_seconds: int
    volumes: tuple[Mapping[str, Any], ...] = ()


def register_servers(
    parent: pulumi.Resource,
    name: str,
    args: StatefulServersArgs,
    pod: ServerPod,
    depends_on: Resources,
) -> Resources:
    """Register StatefulSet, Services and PodDisruptionBudget below the parent; return what clients need.

    Args:
        parent: the component.
        name: prefix of the logical names.
        args: where the members run.
        pod: what they run.
        depends_on: what must exist before the first pod.

    """
    options = child(parent, depends_on, timeout=args.ready_timeout_seconds, delete=removal.WITH_PODS)
    headless = Service(
        f"{name}-headless",
        metadata={"name": args.headless_name, "namespace": args.namespace},
        spec=_headless(args, pod),
        opts=options,
    )
    service = Service(
        f"{name}-service",
        metadata={"name": args.name, "namespace": args.namespace, "annotations": {SKIP_AWAIT: "true"}},
        spec=_client_service(args, pod),
        opts=options,
    )
    if args.members > 1:
        # A budget for a single member could never spare it: every drain of its node would wait for ever.
        PodDisruptionBudget(
            f"{name}-disruption-budget",
            metadata={"name": args.name, "namespace": args.namespace},
            spec={"max_unavailable": 1, "selector": {"match_labels": _labels(args)}},
            opts=options,
        )
    stateful_set = StatefulSet(
        name,
        metadata={"name": args.name, "namespace": args.namespace},
        spec=_stateful_set(args, pod),
        opts=pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[headless])),
    )
    return [stateful_set, service]


def probe(port: str, path: str, *, failures: int, period: int = 10) -> dict[str, Any]:
    """Return a probe of a member over HTTP."""
    return {
        "httpGet": {"path": path, "port": port},
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }


def _labels(args: StatefulServersArgs) -> dict[str, str]:
    return {NAME_LABEL: args.name}


def _headless(args: StatefulServersArgs, pod: ServerPod) -> Any:
    return {
        "clusterIP": "None",
        # Members look for each other before any of them can be ready.
        "publishNotReadyAddresses": True,
        "selector": _labels(args),
        "ports": [_service_port(port) for port in pod.container["ports"]],
    }


def _client_service(args: StatefulServersArgs, pod: ServerPod) -> Any:
    ports = [port for port in pod.container["ports"] if port["name"] == "client"]
    return {"selector": _labels(args), "ports": [_service_port(port) for port in ports]}


def _service_port(port: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": port["name"], "port": port["containerPort"], "targetPort": port["name"]}


def _stateful_set(args: StatefulServersArgs, pod: ServerPod) -> Any:
    return {
        "serviceName": args.headless_name,
        "replicas": args.members,
        # One after the other would never end: the first member is ready only when a second one answers.
        "podManagementPolicy": "Parallel",
        "updateStrategy": {"type": "RollingUpdate"},
        "persistentVolumeClaimRetentionPolicy": {
            "whenDeleted": "Retain" if args.keep_volumes else "Delete",
            "whenScaled": "Retain",
        },
        "selector": {"matchLabels": _labels(args)},
        "template": {"metadata": {"labels": _labels(args)}, "spec": _pod_spec(args, pod)},
        "volumeClaimTemplates": [
            {
                "metadata": {"name": DATA_VOLUME},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": args.storage_class_name,
                    "resources": {"requests": {"storage": args.volume_size}},
                },
            }
        ],
    }


def _pod_spec(args: StatefulServersArgs, pod: ServerPod) -> dict[str, Any]:
    mounts = [{"name": DATA_VOLUME, "mountPath": pod.data_path}, *pod.container.get("volumeMounts", [])]
    security = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    spec: dict[str, Any] = {
        "affinity": {"nodeAffinity": dict(args.node_affinity)},
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
        "terminationGracePeriodSeconds": pod.termination_seconds,
        "containers": [{**pod.container, "securityContext": security, "volumeMounts": mounts}],
    }
    if pod.volumes:
        spec["volumes"] = [dict(volume) for volume in pod.volumes]
    if args.members > 1:
        spec["topologySpreadConstraints"] = [
            # Two members on one node would take the majority with it.
            _spread(args, "kubernetes.io/hostname", "DoNotSchedule"),
            # A cluster may have fewer zones than members.
            _spread(args, "topology.kubernetes.io/zone", "ScheduleAnyway"),
        ]
    return spec


def _spread(args: StatefulServersArgs, topology_key: str, otherwise: str) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": topology_key,
        "whenUnsatisfiable": otherwise,
        "labelSelector": {"matchLabels": _labels(args)},
    }
