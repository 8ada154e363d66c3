"""What an `up` asks at its end, of a cluster that answers as kubectl does."""

from typing import Any

import pytest

from failures.health import ServingObjects, health_problems

SERVED = ServingObjects("gpt-oss", "graph", "graph-engine-0badcafe", "model-cache")
LABEL = "nvidia.com/dynamo-graph-deployment-name"
READY = {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}


def _graph(status: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "graph", "generation": 1, **metadata},
        "status": status or READY,
    }


def _claim(phase: str = "Bound", **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "model-cache", **metadata},
        "status": {"phase": phase},
    }


def _pod(files: str, *, phase: str = "Running", **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": "decode-0", "labels": {LABEL: "graph"}, **metadata},
        "spec": {
            "volumes": [{"name": "engine", "configMap": {"name": files}}, {"name": "shm", "emptyDir": {}}]
        },
        "status": {"phase": phase},
    }


def _problems(*items: dict[str, Any], served: ServingObjects = SERVED) -> list[str]:
    def get(*words: str) -> dict[str, Any] | None:
        if words[0] == "customresourcedefinitions":
            return {"spec": {"versions": [{"name": "v1alpha1", "storage": True}]}}
        assert words[0].startswith("dynamographdeployments.v1alpha1.nvidia.com,")
        assert words[1:] == ("--namespace", "gpt-oss")
        return {"items": list(items)}

    return [each.text("dev") for each in health_problems(get, served) or ()]


def test_a_graph_that_is_ready_on_a_claim_that_has_its_volume_is_well() -> None:
    assert _problems(_graph(), _claim(), _pod(SERVED.engine_files)) == []


def test_no_terminal_obeys_what_the_operator_says_of_a_graph() -> None:
    said = {"type": "Ready", "status": "False", "message": "\x1b[2Jgone\nstack dev: 18 created"}
    [text] = _problems(_graph({"observedGeneration": 1, "conditions": [said]}), _claim())
    assert "\x1b" not in text
    assert r"\x1b[2Jgone\nstack dev: 18 created" in text


def test_a_cluster_that_does_not_say_is_not_taken_for_a_healthy_one() -> None:
    assert health_problems(lambda *_: None, SERVED) is None


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (
            [_claim()],
            "graph gpt-oss/graph is gone: somebody deleted it\n  try: `pulumi up --refresh --stack dev`",
        ),
        ([_graph()], "claim gpt-oss/model-cache is gone, and the model with it"),
        ([_graph(), _claim("Lost")], "claim gpt-oss/model-cache has no volume: it is Lost"),
        ([_graph(), _claim(deletionTimestamp="now")], "claim gpt-oss/model-cache is being deleted"),
        ([_graph(deletionTimestamp="now"), _claim()], "graph gpt-oss/graph is being deleted"),
        ([_graph(generation=2), _claim()], "its operator has not looked at its latest change yet"),
    ],
)
def test_what_does_not_work_is_named_with_what_to_type(items: list[dict[str, Any]], words: str) -> None:
    [said] = _problems(*items)
    assert words in said
    assert "docs/runbook/" in said


def test_a_stack_without_a_claim_of_its_own_is_well_without_one() -> None:
    assert _problems(_graph(), served=ServingObjects("gpt-oss", "graph", "graph-engine-0badcafe", None)) == []


def test_a_pod_of_the_version_before_that_runs_on_still_needs_its_engine_files() -> None:
    old = "graph-engine-00000000"
    [said] = _problems(_graph(), _claim(), _pod(old))
    assert f"pod decode-0 of the version before runs on and reads {old}" in said
    # One that is going, has ended or belongs to another graph starts nothing anew.
    assert _problems(_graph(), _claim(), _pod(old, deletionTimestamp="now")) == []
    assert _problems(_graph(), _claim(), _pod(old, phase="Succeeded")) == []
    assert _problems(_graph(), _claim(), _pod(old, labels={LABEL: "other"})) == []
