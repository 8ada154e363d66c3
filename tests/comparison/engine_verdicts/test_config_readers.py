"""Content under a fixed name: pods that were started before do not read it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from comparison.resources import compare
from tests.comparison.resources_of_tests import deployment, kubernetes_object, said, with_values

if TYPE_CHECKING:
    from resource_graph import Resource


def _settings(value: str, kind: str = "ConfigMap", name: str = "settings", **metadata: Any) -> Resource:
    return kubernetes_object("v1", kind, name, data={"mode": value}, metadata=metadata)


def _reading(**container: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "server:1", **container}]}


def _mounting(name: str) -> dict[str, Any]:
    return {"volumes": [{"name": "files", "configMap": {"name": name}}]}


_MOUNT = _mounting("settings")
_KEY = {"configMapKeyRef": {"name": "settings", "key": "mode"}}
_PROJECTION = {"projected": {"sources": [{"configMap": {"name": "settings"}}]}}
_READERS: dict[str, dict[str, Any]] = {
    "volume": _MOUNT,
    "variable": _reading(env=[{"name": "M", "valueFrom": _KEY}]),
    "all variables": _reading(envFrom=[{"configMapRef": {"name": "settings"}}]),
    "projection": {"volumes": [{"name": "files", **_PROJECTION}]},
}
_JOB = kubernetes_object("batch/v1", "Job", "fill", spec={"template": {"spec": {"containers": [], **_MOUNT}}})


def _graph(frontend: str, prefill: str = "worker:1") -> Resource:
    def component(name: str, kind: str, image: str, **pod: Any) -> dict[str, Any]:
        spec = {"containers": [{"name": "main", "image": image}], **pod}
        return {"name": name, "type": kind, "podTemplate": {"spec": spec}}

    components = [
        component("Frontend", "frontend", frontend),
        component("Prefill", "prefill", prefill),
        component("Decode", "decode", "worker:1", **_MOUNT),
    ]
    return kubernetes_object(
        "nvidia.com/v1beta1", "DynamoGraphDeployment", "graph", spec={"components": components}
    )


def _hashed(content_hash: str) -> Resource:
    """A workload whose template tells the hash of the content, as a chart's does."""
    return with_values(deployment(**_MOUNT), {"spec/template/metadata/annotations": {"hash": content_hash}})


@pytest.mark.parametrize("reader", _READERS)
def test_content_that_running_pods_read_is_not_applied_until_they_restart(reader: str) -> None:
    workload = deployment(**_READERS[reader])
    assert said([_settings("a"), workload], [_settings("b"), workload]) == [
        "replaced, the old one first: ConfigMap serving/settings",
        "# The provider cannot change data.mode of a ConfigMap in place.",
        "# Pods of Deployment server have read it at their start, and nothing restarts them.",
        "@@ data.mode (not applied until a restart) @@",
        "- a",
        "+ b",
    ]


_READ, _APPLIED = "not applied until a restart", "replaces"
_EFFECTS: dict[str, tuple[list[Resource], list[Resource], str]] = {
    "a secret is read at the start too": (
        [_settings("a", "Secret"), deployment(volumes=[{"name": "s", "secret": {"secretName": "settings"}}])],
        [_settings("b", "Secret"), deployment(volumes=[{"name": "s", "secret": {"secretName": "settings"}}])],
        _READ,
    ),
    "a template that tells the content's hash restarts its pods": (
        [_settings("a"), _hashed("1")],
        [_settings("b"), _hashed("2")],
        _APPLIED,
    ),
    "nobody reads it": (
        [_settings("a", name="other"), deployment(**_MOUNT)],
        [_settings("b", name="other"), deployment(**_MOUNT)],
        _APPLIED,
    ),
    "a label of what is read": (
        [_settings("a"), deployment(**_MOUNT)],
        [_settings("a", labels={"a": "b"}), deployment(**_MOUNT)],
        "in place",
    ),
    "pods read none of another namespace": (
        [_settings("a", namespace="other"), deployment(**_MOUNT)],
        [_settings("b", namespace="other"), deployment(**_MOUNT)],
        _APPLIED,
    ),
    "a job that is done waits for no restart": ([_settings("a"), _JOB], [_settings("b"), _JOB], _APPLIED),
    "a name with a hash rolls the pods that name it": (
        [_settings("a", name="engine-5bf3fe4aa5"), deployment(**_mounting("engine-5bf3fe4aa5"))],
        [_settings("b", name="engine-0123456789"), deployment(**_mounting("engine-0123456789"))],
        "rolls pods",
    ),
    "a worker does not read again when a frontend restarts": (
        [_settings("a"), _graph("front:1")],
        [_settings("b"), _graph("front:2")],
        _READ,
    ),
    "a worker reads again when another worker restarts": (
        [_settings("a"), _graph("front:1")],
        [_settings("b"), _graph("front:1", "worker:2")],
        _APPLIED,
    ),
}


@pytest.mark.parametrize("case", _EFFECTS)
def test_another_content_waits_for_a_restart_where_a_running_pod_has_read_it(case: str) -> None:
    base, head, effect = _EFFECTS[case]
    [content] = [each for each in compare(base, head) if each.title.startswith(("ConfigMap", "Secret"))]
    assert {field.effect.value for field in content.fields} == {effect}
