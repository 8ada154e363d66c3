"""What an `up` asks at its end, of a cluster that answers or does not."""

from dataclasses import replace
from typing import Any

import pytest

from failures.health import ServingObjects, health_problems
from tests.support.clusters import NO_KIND, REFUSED, SILENT, Told

SERVED = ServingObjects("gpt-oss", "graph", engine_files="graph-engine-0badcafe", claim="model-cache")
OLD = "graph-engine-00000000"
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
    there: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        there.setdefault(f"{item['kind'].lower()}s", []).append(item)
    return [each.text("dev") for each in health_problems(Told(there), served)]


def _server(**status: int) -> dict[str, Any]:
    return {
        "kind": "Deployment",
        "metadata": {"name": "graph", "generation": 2},
        "spec": {"replicas": 2},
        "status": {"observedGeneration": 2, **status},
    }


@pytest.mark.parametrize(
    ("items", "served"),
    [
        ([_graph(), _claim(), _pod(SERVED.engine_files or "")], SERVED),
        ([_graph()], replace(SERVED, claim="shared-models", own_claim=False)),
        # A pod that is going or has ended starts nothing anew, and needs no files.
        ([_graph(), _claim(), _pod(OLD, deletionTimestamp="now")], SERVED),
        ([_graph(), _claim(), _pod(OLD, phase="Succeeded")], SERVED),
    ],
    ids=[
        "ready on its claim",
        "no claim of its own",
        "an old pod that is going",
        "an old pod that has ended",
    ],
)
def test_a_graph_that_is_ready_on_a_claim_that_has_its_volume_is_well(
    items: list[dict[str, Any]], served: ServingObjects
) -> None:
    assert _problems(*items, served=served) == []


def test_no_terminal_obeys_what_the_operator_says_of_a_graph() -> None:
    said = {"type": "Ready", "status": "False", "message": "\x1b[2Jgone\nstack dev: 18 created"}
    [text] = _problems(_graph({"observedGeneration": 1, "conditions": [said]}), _claim())
    assert "\x1b" not in text
    assert r"\x1b[2Jgone\nstack dev: 18 created" in text


@pytest.mark.parametrize("kind", ["dynamographdeployments", "persistentvolumeclaims"])
def test_a_cluster_that_does_not_say_is_not_taken_for_a_healthy_one(kind: str) -> None:
    silent, refused = (health_problems(Told({kind: answer}), SERVED) for answer in (SILENT, REFUSED))
    assert "graph gpt-oss/graph could not be looked at: the API server does not answer" in silent[0].what
    assert 'User "someone" cannot list this' in refused[0].what
    # A server that starts anew answers soon; a refusal stays.
    assert [each.may_pass for each in (*silent, *refused)] == [True, False]


def test_a_graph_whose_definition_was_deleted_is_told_from_one_that_was_deleted_itself() -> None:
    [problem] = health_problems(
        Told({"dynamographdeployments": NO_KIND, "persistentvolumeclaims": [_claim()]}), SERVED
    )
    assert problem.about == "definitions"
    assert problem.what == (
        "graph gpt-oss/graph is gone with its definition: "
        "the cluster has no dynamographdeployments.nvidia.com"
    )
    assert not problem.may_pass


SERVER = replace(SERVED, by_dynamo=False)


def test_a_server_without_dynamo_is_asked_for_its_pods_and_never_for_a_graph() -> None:
    told = Told(
        {
            "deployments": [_server(updatedReplicas=2, availableReplicas=2)],
            "persistentvolumeclaims": [_claim()],
        }
    )
    assert health_problems(told, SERVER) == ()
    assert "dynamographdeployments" not in [asked[0] for asked in told.asked]
    [said] = _problems(_server(updatedReplicas=2, availableReplicas=1), _claim(), served=SERVER)
    assert "server gpt-oss/graph is not ready: 2 of 2 pods are of this version, and 1 answer" in said
    [said] = _problems(_claim(), served=SERVER)
    assert "server gpt-oss/graph is gone: somebody deleted it" in said


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
        (
            [_graph(), _claim(), _pod(OLD)],
            f"pod decode-0 of the version before runs on and reads {OLD}",
        ),
    ],
)
def test_what_does_not_work_is_named_with_what_to_type(items: list[dict[str, Any]], words: str) -> None:
    [said] = _problems(*items)
    assert words in said
    assert "docs/runbook/" in said
