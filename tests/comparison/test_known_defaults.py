"""A default that somebody writes out is no change: the API server has filled it in before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.comparison.resources_of_tests import (
    changed,
    deployment,
    effects,
    kubernetes_object,
    no_change,
    said,
    with_inputs,
)

_POD_DEFAULTS = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
    "nodeSelector": {},
    "tolerations": [],
}
_CONTAINER_DEFAULTS = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}


def _pod(inputs: dict[str, Any]) -> dict[str, Any]:
    return inputs["spec"]["template"]["spec"]


@pytest.mark.parametrize("name", _POD_DEFAULTS)
def test_a_default_of_the_pod_that_is_written_out_is_no_change(name: str) -> None:
    assert no_change(deployment(), lambda inputs: _pod(inputs).update({name: _POD_DEFAULTS[name]}))


@pytest.mark.parametrize("name", _CONTAINER_DEFAULTS)
def test_a_default_of_the_container_that_is_written_out_is_no_change(name: str) -> None:
    value = _CONTAINER_DEFAULTS[name]
    assert no_change(deployment(), lambda inputs: _pod(inputs)["containers"][0].update({name: value}))


def test_another_value_in_the_place_of_a_default_is_added() -> None:
    found = changed(deployment(), lambda inputs: _pod(inputs).update(terminationGracePeriodSeconds=120))
    assert said(found.fields) == ["spec template spec terminationGracePeriodSeconds: None -> 120"]


def test_service_links_are_no_default_of_a_template_so_that_pods_restart_for_them() -> None:
    found = changed(deployment(), lambda inputs: _pod(inputs).update(enableServiceLinks=True))
    assert effects(found) == {"spec template spec enableServiceLinks": "rolls pods"}


def test_the_defaults_of_probes_and_volumes_are_no_change() -> None:
    probe = {"httpGet": {"port": 8000, "path": "/"}}
    start = deployment(
        containers=[{"name": "main", "image": "server:1", "readinessProbe": probe}],
        volumes=[{"name": "files", "configMap": {"name": "settings"}}],
    )

    def fill(inputs: dict[str, Any]) -> None:
        probe = _pod(inputs)["containers"][0]["readinessProbe"]
        probe.update(timeoutSeconds=1, periodSeconds=10, successThreshold=1, failureThreshold=3)
        probe["httpGet"]["scheme"] = "HTTP"
        _pod(inputs)["volumes"][0]["configMap"]["defaultMode"] = 0o644

    assert no_change(start, fill)


@pytest.mark.parametrize(
    "spelled",
    [
        {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600},
        {"strategy": {"type": "RollingUpdate"}},
    ],
)
def test_the_defaults_of_a_deployment_are_no_change(spelled: dict[str, Any]) -> None:
    assert no_change(deployment(), lambda inputs: inputs["spec"].update(spelled))


def test_part_of_a_default_that_differs_is_said_alone() -> None:
    found = changed(deployment(), lambda inputs: inputs["spec"].update(strategy={"type": "Recreate"}))
    assert said(found.fields) == ["spec strategy type: 'RollingUpdate' -> 'Recreate'"]


def test_a_default_that_depends_on_another_field_counts_as_a_change_once_it_is_written_out() -> None:
    found = changed(deployment(), lambda i: _pod(i)["containers"][0].update(imagePullPolicy="IfNotPresent"))
    assert list(effects(found).values()) == ["rolls pods"]


def test_the_defaults_of_services_claims_and_policies_are_no_change() -> None:
    service = kubernetes_object("v1", "Service", "front", spec={"ports": [{"port": 80}]})
    spelled = {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}
    port = {"port": 80, "protocol": "TCP"}
    assert no_change(service, lambda inputs: inputs["spec"].update(spelled, ports=[port]))
    claim = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec={"accessModes": ["ReadWriteOnce"]})
    assert no_change(claim, lambda inputs: inputs["spec"].update(volumeMode="Filesystem"))
    policy = kubernetes_object("networking.k8s.io/v1", "NetworkPolicy", "in", spec={"egress": [{}]})
    assert no_change(policy, lambda inputs: inputs["spec"].update(podSelector={}))
    config_map = kubernetes_object("v1", "ConfigMap", "settings")
    assert no_change(config_map, lambda inputs: inputs.update(immutable=False, data={}))


def test_the_namespace_default_is_no_namespace() -> None:
    start = with_inputs(deployment(), lambda inputs: inputs["metadata"].pop("namespace"))
    assert no_change(start, lambda inputs: inputs["metadata"].update(namespace="default"))


def test_a_default_in_the_template_of_a_dynamo_worker_restarts_it() -> None:
    # Its operator hashes what is written.
    pod = {"spec": {"containers": [{"name": "main", "image": "worker:1"}]}}
    component = {"name": "Worker", "type": "worker", "podTemplate": pod}
    graph = kubernetes_object(
        "nvidia.com/v1beta1", "DynamoGraphDeployment", "graph", spec={"components": [component]}
    )
    assert no_change(graph, lambda inputs: inputs["spec"]["components"][0].update(replicas=1))

    def spell(inputs: dict[str, Any]) -> None:
        inputs["spec"]["components"][0]["podTemplate"]["spec"]["restartPolicy"] = "Always"

    assert list(effects(changed(graph, spell)).values()) == ["rolls pods"]
