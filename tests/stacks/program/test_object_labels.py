"""Kubernetes' recommended labels on the objects that the program registers."""

import tomllib
from typing import Any

import pytest

from components.object_owner import owner_of
from lab.directory import REPOSITORY
from recipes.standard_labels import label_value
from resource_graph import Resource
from stacks.plan.versions import NATS_IMAGE, PROJECT_VERSION
from tests.components.recorded import objects, recorded
from tests.stacks.changed_settings import Change, changed
from tests.support.shipped_stacks import shipped_settings

KEYS = {
    f"app.kubernetes.io/{key}"
    for key in ("name", "instance", "component", "part-of", "managed-by", "version")
}
EVERYTHING = {
    "serving.podMonitor": {},
    "serving.exposure": {"kind": "internalLoadBalancer"},
    "cluster.monitoring": True,
}


def _kubernetes_objects(name: str, more: Change | None = None) -> dict[str, Resource]:
    """Those of a shipped stack without its charts, whose objects Helm labels."""
    graph = recorded(changed(shipped_settings(name), more or {}))
    return {title: each for title, each in objects(graph).items() if each.kind}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        pytest.param("disagg-gb200-two-trays", EVERYTHING, id="a graph over NVLink with all there is around"),
        pytest.param("latency-b200", {}, id="a server without Dynamo on a cluster of its own"),
        pytest.param("dev", {}, id="a cluster that exists"),
    ],
)
def test_every_object_of_every_kind_of_stack_bears_the_six_labels(name: str, more: Change) -> None:
    found = _kubernetes_objects(name, more)
    lacking = {title: KEYS - set(each.metadata.get("labels") or {}) for title, each in found.items()}
    assert {title: missing for title, missing in lacking.items() if missing} == {}
    # By which a later `up` knows them from those of others.
    assert {owner_of(each.inputs) for each in found.values()} == {"stack dev"}


def test_the_labels_say_the_layer_and_the_version_of_what_runs_there() -> None:
    shown = {
        title: tuple(
            each.metadata["labels"][f"app.kubernetes.io/{key}"] for key in ("name", "component", "version")
        )
        for title, each in _kubernetes_objects("disagg-gb200-two-trays", EVERYTHING).items()
    }
    model = shown["Job model-download"]
    assert shown["StatefulSet dynamo-nats"] == ("nats", "platform", NATS_IMAGE.rpartition(":")[2])
    assert model[:2] == ("model-cache", "serving")
    assert len(model[2]) == 40
    assert shown["DynamoGraphDeployment gpt-oss-disagg"] == ("gpt-oss-disagg", "serving", "1.2.1")
    assert shown["StorageClass gp3"] == ("addons", "infrastructure", PROJECT_VERSION)


def test_pods_of_a_graph_say_what_they_are_part_of_as_the_guide_looks_for_them() -> None:
    graph: Any = _kubernetes_objects("disagg-gb200-two-trays")["DynamoGraphDeployment gpt-oss-disagg"]
    pods = {
        each["name"]: each["podTemplate"]["metadata"]["labels"] for each in graph.inputs["spec"]["components"]
    }
    assert {name: labels["app.kubernetes.io/component"] for name, labels in pods.items()} == {
        "Frontend": "frontend",
        "TrtllmPrefillWorker": "prefill",
        "TrtllmDecodeWorker": "decode",
    }
    for labels in pods.values():
        assert labels.keys() >= KEYS
        assert labels["app.kubernetes.io/part-of"] == "gpt-oss-disagg"


def test_a_label_holds_no_more_than_it_may_however_long_the_name_of_the_stack_is() -> None:
    assert label_value(f"-team/{'a' * 70}") == f"team-{'a' * 57}"


def test_the_version_is_the_projects() -> None:
    content = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert content["project"]["version"] == PROJECT_VERSION
