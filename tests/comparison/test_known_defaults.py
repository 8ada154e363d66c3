"""A default that somebody writes out is no change: the API server has filled it in before."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.resources import compare
from tests.comparison.resources_of_tests import deployment, kubernetes_object, said_of, with_values

_POD = "spec/template/spec"
_PROBED = deployment(
    containers=[
        {"name": "main", "image": "server:1", "readinessProbe": {"httpGet": {"port": 8000, "path": "/"}}}
    ],
    volumes=[{"name": "files", "configMap": {"name": "settings"}}],
)
_PROBE = f"{_POD}/containers/0/readinessProbe"
_SERVICE = kubernetes_object("v1", "Service", "front", spec={"ports": [{"port": 80}]})
_CLAIM = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec={"accessModes": ["ReadWriteOnce"]})
_POLICY = kubernetes_object("networking.k8s.io/v1", "NetworkPolicy", "in", spec={"egress": [{}]})
_FILES = kubernetes_object("v1", "ConfigMap", "settings", metadata={"namespace": None})

_DEFAULTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "of a pod": (
        deployment(),
        {
            f"{_POD}/dnsPolicy": "ClusterFirst",
            f"{_POD}/restartPolicy": "Always",
            f"{_POD}/schedulerName": "default-scheduler",
            f"{_POD}/securityContext": {},
            f"{_POD}/terminationGracePeriodSeconds": 30,
            f"{_POD}/nodeSelector": {},
            f"{_POD}/tolerations": [],
            f"{_POD}/hostNetwork": False,
        },
    ),
    "of a container": (
        deployment(),
        {
            f"{_POD}/containers/0/resources": {"limits": {}, "requests": {}},
            f"{_POD}/containers/0/terminationMessagePath": "/dev/termination-log",
            f"{_POD}/containers/0/terminationMessagePolicy": "File",
            f"{_POD}/containers/0/env": [],
            f"{_POD}/containers/0/tty": False,
        },
    ),
    "of a probe and a volume": (
        _PROBED,
        {
            f"{_PROBE}/timeoutSeconds": 1,
            f"{_PROBE}/periodSeconds": 10,
            f"{_PROBE}/successThreshold": 1,
            f"{_PROBE}/failureThreshold": 3,
            f"{_PROBE}/httpGet/scheme": "HTTP",
            f"{_POD}/volumes/0/configMap/defaultMode": 0o644,
        },
    ),
    "of a deployment": (
        deployment(),
        {
            "spec/replicas": 1,
            "spec/revisionHistoryLimit": 10,
            "spec/progressDeadlineSeconds": 600,
            "spec/minReadySeconds": 0,
            "spec/strategy": {"type": "RollingUpdate"},
        },
    ),
    "of a service": (
        _SERVICE,
        {
            "spec/type": "ClusterIP",
            "spec/sessionAffinity": "None",
            "spec/internalTrafficPolicy": "Cluster",
            "spec/ports/0/protocol": "TCP",
        },
    ),
    "of a claim": (_CLAIM, {"spec/volumeMode": "Filesystem"}),
    "of a network policy": (_POLICY, {"spec/podSelector": {}}),
    "of a config map, in the namespace default": (
        _FILES,
        {"immutable": False, "data": {}, "metadata/namespace": "default"},
    ),
}
_OTHERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "another value in the place of a default is added": (
        {f"{_POD}/terminationGracePeriodSeconds": 120},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.terminationGracePeriodSeconds (rolls pods) @@",
            "+ 120",
        ],
    ),
    "part of a default that differs is said alone": (
        {"spec/strategy": {"type": "Recreate"}},
        ["updated: Deployment serving/server", "@@ spec.strategy.type @@", "- RollingUpdate", "+ Recreate"],
    ),
    "service links are no default of a template": (
        {f"{_POD}/enableServiceLinks": True},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.enableServiceLinks (rolls pods) @@",
            "+ true",
        ],
    ),
    "a default that depends on another field": (
        {f"{_POD}/containers/0/imagePullPolicy": "IfNotPresent"},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.containers.main.imagePullPolicy (rolls pods) @@",
            "+ IfNotPresent",
        ],
    ),
}


@pytest.mark.parametrize("kind", _DEFAULTS)
def test_defaults_that_are_written_out_are_no_change(kind: str) -> None:
    plain, values = _DEFAULTS[kind]
    spelled = with_values(plain, values)
    assert compare([plain], [spelled]) == compare([spelled], [plain]) == ()


@pytest.mark.parametrize("case", _OTHERS)
def test_what_is_no_known_default_is_a_change(case: str) -> None:
    values, words = _OTHERS[case]
    assert said_of(deployment(), values) == words
