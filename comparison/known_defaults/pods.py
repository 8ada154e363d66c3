"""Defaults of a pod template.

Sources: kubernetes pkg/apis/core/v1/defaults.go (SetDefaults_PodSpec, _Container, _Probe, _HTTPGetAction,
_ObjectFieldSelector and those of the volumes), the same in 1.30 to 1.36. What is set for a Pod alone, such as
enableServiceLinks and requests from limits, is not here: written into a template it makes another template.
"""

from collections.abc import Mapping

from comparison.known_defaults.shape import Shape
from resource_graph import Value

_FILE_MODE = 0o644


def _pull_policy(container: Mapping[str, Value]) -> Value:
    image = container.get("image")
    if not isinstance(image, str):
        return None
    name = image.rpartition("/")[2]
    is_latest = "@" not in name and (":" not in name or name.endswith(":latest"))
    return "Always" if is_latest else "IfNotPresent"


_HTTP_GET = Shape(defaults={"path": "/", "scheme": "HTTP"})
_HANDLER = Shape(parts={"httpGet": _HTTP_GET})
_PROBE = Shape(
    defaults={
        "failureThreshold": 3,
        "initialDelaySeconds": 0,
        "periodSeconds": 10,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    },
    parts={"httpGet": _HTTP_GET, "grpc": Shape(defaults={"service": ""})},
)
_RESOURCES = Shape(defaults={"limits": {}, "requests": {}}, amounts=frozenset({"limits", "requests"}))
_FIELD = Shape(defaults={"apiVersion": "v1"})
_VARIABLE = Shape(
    defaults={"value": ""},
    parts={
        "valueFrom": Shape(
            parts={
                "fieldRef": _FIELD,
                "resourceFieldRef": Shape(defaults={"divisor": "0"}, amounts=frozenset({"divisor"})),
            }
        )
    },
)
CONTAINER = Shape(
    defaults={
        "resources": {},
        "stdin": False,
        "stdinOnce": False,
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "tty": False,
    },
    computed={"imagePullPolicy": _pull_policy},
    parts={
        "env": _VARIABLE,
        "lifecycle": Shape(parts={"postStart": _HANDLER, "preStop": _HANDLER}),
        "livenessProbe": _PROBE,
        "ports": Shape(defaults={"protocol": "TCP"}),
        "readinessProbe": _PROBE,
        "resources": _RESOURCES,
        "startupProbe": _PROBE,
        "volumeMounts": Shape(defaults={"readOnly": False, "subPath": ""}),
    },
)
_FILES = Shape(defaults={"defaultMode": _FILE_MODE})
_PROJECTED = Shape(
    defaults={"defaultMode": _FILE_MODE},
    parts={
        "sources": Shape(parts={"serviceAccountToken": Shape(defaults={"expirationSeconds": 3600})}),
    },
)
CLAIM_SPEC = Shape(
    defaults={"volumeMode": "Filesystem"},
    parts={"resources": _RESOURCES},
)
_VOLUME = Shape(
    parts={
        "configMap": _FILES,
        "downwardAPI": _FILES,
        "emptyDir": Shape(defaults={"medium": ""}, amounts=frozenset({"sizeLimit"})),
        "ephemeral": Shape(parts={"volumeClaimTemplate": Shape(parts={"spec": CLAIM_SPEC})}),
        "hostPath": Shape(defaults={"type": ""}),
        "persistentVolumeClaim": Shape(defaults={"readOnly": False}),
        "projected": _PROJECTED,
        "secret": _FILES,
    }
)
METADATA = Shape(defaults={"annotations": {}, "labels": {}})
POD_SPEC = Shape(
    defaults={
        "dnsPolicy": "ClusterFirst",
        "hostIPC": False,
        "hostNetwork": False,
        "hostPID": False,
        "nodeSelector": {},
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    },
    parts={"containers": CONTAINER, "initContainers": CONTAINER, "volumes": _VOLUME},
    amounts=frozenset({"overhead"}),
)
POD_TEMPLATE = Shape(
    defaults={"metadata": {}},
    parts={"metadata": METADATA, "spec": POD_SPEC},
    # Controllers compare templates by apiequality.Semantic.DeepEqual, to which another order of volumes or
    # variables is another template: the pods restart (kubernetes pkg/controller/deployment/util).
    keeps_order=True,
)
