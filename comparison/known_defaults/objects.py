"""Defaults of whole objects, by kind.

Sources: kubernetes pkg/apis/{core,apps,batch,networking,storage,scheduling}/v1/defaults.go and
pkg/apis/rbac/v1/defaults.go, the same in 1.30 to 1.36.
"""

from collections.abc import Mapping

from comparison.known_defaults.pods import CLAIM_SPEC, METADATA, POD_SPEC, POD_TEMPLATE
from comparison.known_defaults.shape import UNORDERED, Shape
from resource_graph import Value
from rules.reading.pods.pods import GRAPH_KIND

_RBAC = "rbac.authorization.k8s.io"


def shape_of(api_version: str, kind: str) -> Shape | None:
    """Return what is known of the kind; None for one whose API server fills in nothing that is known.

    Args:
        api_version: as in the manifest, `apps/v1`.
        kind: as in the manifest.

    """
    group = api_version.rpartition("/")[0]
    known = _SHAPES.get((group, kind))
    if known is not None:
        return known
    return UNORDERED if _is_built_in(group) else _CUSTOM


def _is_built_in(group: str) -> bool:
    return "." not in group or group.endswith(".k8s.io")


def _object(spec: Shape) -> Shape:
    return Shape(
        defaults={"spec": {}},
        parts={"metadata": _NAMESPACED, "spec": spec},
        keeps_order=False,
    )


def _target_port(port: Mapping[str, Value]) -> Value:
    return port.get("port")


def _policy_types(spec: Mapping[str, Value]) -> Value:
    return ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _external_traffic(spec: Mapping[str, Value]) -> Value:
    return "Cluster" if spec.get("type") in {"LoadBalancer", "NodePort"} else None


def _replacement(spec: Mapping[str, Value]) -> Value:
    return "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"


def _completions(spec: Mapping[str, Value]) -> Value:
    # Both absent mean one pod; with one of the two written, the other keeps a meaning of its own.
    return 1 if spec.get("parallelism") is None else None


_NAMESPACED = Shape(defaults={**METADATA.defaults, "namespace": "default"})
_CLUSTER_WIDE = Shape(parts={"metadata": METADATA}, keeps_order=False)
_CUSTOM = Shape(parts={"metadata": METADATA}, keeps_order=True)
_RULE_PORTS = Shape(parts={"ports": Shape(defaults={"protocol": "TCP"})})
_JOB_SPEC = Shape(
    defaults={
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "manualSelector": False,
        "parallelism": 1,
        "suspend": False,
    },
    computed={"completions": _completions, "podReplacementPolicy": _replacement},
    parts={"template": POD_TEMPLATE},
)
_ROLLING = {"maxSurge": "25%", "maxUnavailable": "25%"}
_DAEMON_ROLLING = {"maxSurge": 0, "maxUnavailable": 1}
_RETAINED = {"whenDeleted": "Retain", "whenScaled": "Retain"}


def _strategy(rolling: Mapping[str, Value]) -> Shape:
    def of_type(strategy: Mapping[str, Value]) -> Value:
        return rolling if strategy.get("type", "RollingUpdate") == "RollingUpdate" else None

    return Shape(
        defaults={"type": "RollingUpdate"},
        computed={"rollingUpdate": of_type},
        parts={"rollingUpdate": Shape(defaults=rolling)},
    )


_DEPLOYMENT_SPEC = Shape(
    defaults={
        "minReadySeconds": 0,
        "paused": False,
        "progressDeadlineSeconds": 600,
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "strategy": {"type": "RollingUpdate"},
    },
    parts={"strategy": _strategy(_ROLLING), "template": POD_TEMPLATE},
)
_STATEFUL_SET_SPEC = Shape(
    defaults={
        "minReadySeconds": 0,
        "persistentVolumeClaimRetentionPolicy": _RETAINED,
        "podManagementPolicy": "OrderedReady",
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "updateStrategy": {"type": "RollingUpdate"},
    },
    parts={
        "persistentVolumeClaimRetentionPolicy": Shape(defaults=_RETAINED),
        "template": POD_TEMPLATE,
        "updateStrategy": _strategy({"partition": 0}),
        "volumeClaimTemplates": Shape(parts={"spec": CLAIM_SPEC}),
    },
)
_DAEMON_SET_SPEC = Shape(
    defaults={
        "minReadySeconds": 0,
        "revisionHistoryLimit": 10,
        "updateStrategy": {"type": "RollingUpdate"},
    },
    parts={"template": POD_TEMPLATE, "updateStrategy": _strategy(_DAEMON_ROLLING)},
)
_SERVICE_SPEC = Shape(
    defaults={
        "internalTrafficPolicy": "Cluster",
        "publishNotReadyAddresses": False,
        "sessionAffinity": "None",
        "type": "ClusterIP",
    },
    computed={"externalTrafficPolicy": _external_traffic},
    parts={
        # The first family is the one of the address that a Service is known by.
        "ipFamilies": Shape(keeps_order=True),
        "ports": Shape(defaults={"protocol": "TCP"}, computed={"targetPort": _target_port}),
    },
)
# A component's template is what the operator hashes as it is written, defaults and order included: a default
# that is written out restarts the workers (ai-dynamo/dynamo deploy/operator/internal/dynamo/hash.go).
_AS_WRITTEN = Shape(
    parts={
        "spec": Shape(
            parts={
                name: Shape(
                    parts={"resources": Shape(amounts=frozenset({"limits", "requests"}))},
                )
                for name in ("containers", "initContainers")
            },
        ),
    },
    keeps_order=True,
)
_GRAPH = Shape(
    parts={
        "metadata": METADATA,
        "spec": Shape(
            parts={
                # The webhook writes one replica where none is named (crds/dgd-admission.json, defaulting).
                "components": Shape(defaults={"replicas": 1}, parts={"podTemplate": _AS_WRITTEN}),
                "services": Shape(each=Shape(defaults={"replicas": 1}, keeps_order=True)),
            },
        ),
    },
    keeps_order=False,
)
_SHAPES: Mapping[tuple[str, str], Shape] = {
    ("", "ConfigMap"): Shape(
        defaults={"binaryData": {}, "data": {}, "immutable": False},
        parts={"metadata": _NAMESPACED},
        keeps_order=False,
    ),
    ("", "Namespace"): _CLUSTER_WIDE,
    ("", "PersistentVolume"): Shape(
        parts={
            "metadata": METADATA,
            "spec": Shape(
                defaults={"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"},
                amounts=frozenset({"capacity"}),
            ),
        },
        keeps_order=False,
    ),
    ("", "PersistentVolumeClaim"): _object(CLAIM_SPEC),
    ("", "Pod"): Shape(
        parts={
            "metadata": _NAMESPACED,
            "spec": Shape(
                defaults={**POD_SPEC.defaults, "enableServiceLinks": True},
                parts=POD_SPEC.parts,
                amounts=POD_SPEC.amounts,
                keeps_order=True,
            ),
        },
    ),
    ("", "ResourceQuota"): _object(Shape(amounts=frozenset({"hard"}))),
    ("", "Secret"): Shape(
        defaults={"data": {}, "immutable": False, "stringData": {}, "type": "Opaque"},
        parts={"metadata": _NAMESPACED},
        keeps_order=False,
    ),
    ("", "Service"): _object(_SERVICE_SPEC),
    ("", "ServiceAccount"): Shape(parts={"metadata": _NAMESPACED}, keeps_order=False),
    ("apps", "DaemonSet"): _object(_DAEMON_SET_SPEC),
    ("apps", "Deployment"): _object(_DEPLOYMENT_SPEC),
    ("apps", "StatefulSet"): _object(_STATEFUL_SET_SPEC),
    ("batch", "CronJob"): _object(
        Shape(
            defaults={
                "concurrencyPolicy": "Allow",
                "failedJobsHistoryLimit": 1,
                "successfulJobsHistoryLimit": 3,
                "suspend": False,
            },
            parts={"jobTemplate": Shape(parts={"spec": _JOB_SPEC})},
        )
    ),
    ("batch", "Job"): _object(_JOB_SPEC),
    ("networking.k8s.io", "NetworkPolicy"): _object(
        Shape(
            defaults={"podSelector": {}},
            computed={"policyTypes": _policy_types},
            parts={"egress": _RULE_PORTS, "ingress": _RULE_PORTS},
        )
    ),
    (_RBAC, "ClusterRoleBinding"): Shape(
        parts={"metadata": METADATA, "roleRef": Shape(defaults={"apiGroup": _RBAC})}, keeps_order=False
    ),
    (_RBAC, "RoleBinding"): Shape(
        parts={"metadata": _NAMESPACED, "roleRef": Shape(defaults={"apiGroup": _RBAC})}, keeps_order=False
    ),
    ("scheduling.k8s.io", "PriorityClass"): Shape(
        defaults={"globalDefault": False, "preemptionPolicy": "PreemptLowerPriority"},
        parts={"metadata": METADATA},
        keeps_order=False,
    ),
    ("storage.k8s.io", "StorageClass"): Shape(
        defaults={"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
        parts={"metadata": METADATA},
        keeps_order=False,
    ),
    ("nvidia.com", GRAPH_KIND): _GRAPH,
}
