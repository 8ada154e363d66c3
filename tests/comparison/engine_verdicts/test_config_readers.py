"""Content under a fixed name: pods that were started before do not read it again."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.changes import Operation, ResourceChange
from comparison.resources import compare
from tests.comparison.resources_of_tests import deployment, effects, kubernetes_object, with_inputs


def _settings(value: str, kind: str = "ConfigMap", name: str = "settings") -> Any:
    return kubernetes_object("v1", kind, name, data={"mode": value})


_MOUNTS = {
    "volume": {"volumes": [{"name": "files", "configMap": {"name": "settings"}}]},
    "variable": {
        "containers": [
            {
                "name": "main",
                "image": "server:1",
                "env": [{"name": "M", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "mode"}}}],
            }
        ]
    },
    "all variables": {
        "containers": [
            {"name": "main", "image": "server:1", "envFrom": [{"configMapRef": {"name": "settings"}}]}
        ]
    },
    "projection": {
        "volumes": [{"name": "files", "projected": {"sources": [{"configMap": {"name": "settings"}}]}}]
    },
}


def _of(found: tuple[ResourceChange, ...], kind: str) -> ResourceChange:
    return next(each for each in found if each.title.startswith(kind))


@pytest.mark.parametrize("mount", _MOUNTS)
def test_content_that_running_pods_read_is_not_applied_until_they_restart(mount: str) -> None:
    workload = deployment(**_MOUNTS[mount])
    (found,) = compare([_settings("a"), workload], [_settings("b"), workload])
    assert found.operation is Operation.REPLACE
    assert effects(found) == {"data mode": "not applied until a restart"}
    assert (
        "Pods of Deployment server have read it at their start, and nothing restarts them." in found.reasons
    )


def test_a_secret_is_read_at_the_start_too() -> None:
    workload = deployment(volumes=[{"name": "files", "secret": {"secretName": "settings"}}])
    (found,) = compare([_settings("a", "Secret"), workload], [_settings("b", "Secret"), workload])
    assert effects(found) == {"data mode": "not applied until a restart"}


def test_content_whose_hash_sits_in_the_template_is_applied() -> None:
    def workload(content_hash: str) -> Any:
        def annotate(inputs: dict[str, Any]) -> None:
            inputs["spec"]["template"]["metadata"]["annotations"] = {"checksum/config": content_hash}

        return with_inputs(deployment(**_MOUNTS["volume"]), annotate)

    found = compare([_settings("a"), workload("1")], [_settings("b"), workload("2")])
    assert effects(_of(found, "ConfigMap")) == {"data mode": "replaces"}


def test_content_that_nobody_reads_and_labels_of_what_is_read_restart_nothing() -> None:
    workload = deployment(**_MOUNTS["volume"])
    (found,) = compare([_settings("a", name="other"), workload], [_settings("b", name="other"), workload])
    assert effects(found) == {"data mode": "replaces"}
    labelled = with_inputs(_settings("a"), lambda inputs: inputs["metadata"].update(labels={"a": "b"}))
    (found,) = compare([_settings("a"), workload], [labelled, workload])
    assert effects(found) == {"metadata labels": "in place"}


def test_content_of_another_namespace_is_none_that_the_pods_read() -> None:
    def elsewhere(value: str) -> Any:
        return with_inputs(_settings(value), lambda inputs: inputs["metadata"].update(namespace="other"))

    workload = deployment(**_MOUNTS["volume"])
    (found,) = compare([elsewhere("a"), workload], [elsewhere("b"), workload])
    assert effects(found) == {"data mode": "replaces"}


def test_a_job_that_is_done_waits_for_no_restart() -> None:
    template = {"spec": {"containers": [], **_MOUNTS["volume"]}}
    job = kubernetes_object("batch/v1", "Job", "fill", spec={"template": template})
    (found,) = compare([_settings("a"), job], [_settings("b"), job])
    assert effects(found) == {"data mode": "replaces"}


def test_content_under_a_name_with_its_hash_rolls_the_pods_that_name_it() -> None:
    def files(content_hash: str, value: str) -> list[Any]:
        name = f"engine-{content_hash}"
        volume = {"name": "files", "configMap": {"name": name}}
        return [_settings(value, name=name), deployment(volumes=[volume])]

    found = compare(files("5bf3fe4aa5", "a"), files("0123456789", "b"))
    assert effects(_of(found, "ConfigMap")) == {"data mode": "rolls pods"}
    assert effects(_of(found, "Deployment")) == {
        "spec template spec volumes files configMap name": "rolls pods"
    }


def _graph(image: str, worker_image: str = "worker:1") -> Any:
    def component(name: str, kind: str, image: str, **pod: Any) -> dict[str, Any]:
        spec = {"containers": [{"name": "main", "image": image}], **pod}
        return {"name": name, "type": kind, "podTemplate": {"spec": spec}}

    volumes = _MOUNTS["volume"]
    components = [
        component("Frontend", "frontend", image),
        component("Prefill", "prefill", worker_image),
        component("Decode", "decode", "worker:1", **volumes),
    ]
    return kubernetes_object(
        "nvidia.com/v1beta1", "DynamoGraphDeployment", "graph", spec={"components": components}
    )


@pytest.mark.parametrize(
    ("after", "effect"),
    [
        (_graph("front:2"), "not applied until a restart"),
        (_graph("front:1", "worker:2"), "replaces"),
    ],
)
def test_a_worker_reads_again_when_another_worker_restarts_and_not_when_a_frontend_does(
    after: Any, effect: str
) -> None:
    found = compare([_settings("a"), _graph("front:1")], [_settings("b"), after])
    assert effects(_of(found, "ConfigMap")) == {"data mode": effect}
