"""What an `up` asks at its end of a cluster, and what is going, or empty, though no field has changed."""

from dataclasses import replace
from typing import Any

import pytest

from failures.health import ServingObjects, health_problems
from failures.losses import Loss, look
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


def _object(kind: str, name: str, **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": name, **metadata}}


def _claim(phase: str = "Bound", **metadata: Any) -> dict[str, Any]:
    claim = _object(
        "PersistentVolumeClaim", "model-cache", **({"creationTimestamp": "2026-11-22T10:00:00Z"} | metadata)
    )
    return {**claim, "spec": {"volumeName": "pv-1"}, "status": {"phase": phase}}


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


OBJECTS = ServingObjects(
    "gpt-oss",
    "graph",
    claim="model-cache",
    job="model-download",
    namespaces=("dynamo-system", "gpt-oss"),
)
THEIRS = replace(OBJECTS, own_claim=False)
DONE, LATER = "2026-11-22T11:00:00Z", "2026-11-22T12:00:00Z"
STORED = {
    "metadata": {"name": "dynamographdeployments.nvidia.com"},
    "spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]},
}
PROTECTION = "kubernetes.io/pvc-protection"


def _job(**status: Any) -> dict[str, Any]:
    return {**_object("Job", "model-download"), "status": status}


def _holding_pod(name: str, node: str | None, claim: str = "model-cache") -> dict[str, Any]:
    volume = {"name": "cache", "persistentVolumeClaim": {"claimName": claim}}
    return {"metadata": {"name": name}, "spec": {"volumes": [volume], "nodeName": node}}


def _losses(
    *listed: dict[str, Any],
    graph: dict[str, Any] | None = None,
    pods: tuple[dict[str, Any], ...] = (),
    objects: ServingObjects = OBJECTS,
) -> tuple[Loss, ...]:
    found: dict[str, list[dict[str, Any]]] = {
        "customresourcedefinitions": [STORED],
        "dynamographdeployments": [graph] if graph else [],
        "pods": [*pods],
    }
    for each in listed:
        found.setdefault(f"{each['kind'].lower()}s", []).append(each)
    seen = look(Told(found), objects)
    assert seen is not None
    return seen.losses


@pytest.mark.parametrize(
    ("listed", "objects", "said"),
    [
        (
            [_claim(creationTimestamp=LATER)],
            OBJECTS,
            "was made again at 2026-11-22T12:00:00Z, after Job model-download was done at "
            "2026-11-22T11:00:00Z: the volume is empty; `up --refresh` runs the Job again",
        ),
        (
            [_claim(creationTimestamp=LATER)],
            THEIRS,
            "was made again by its owner at 2026-11-22T12:00:00Z, after Job model-download was done at "
            "2026-11-22T11:00:00Z: nobody has checked its files; `up --refresh` runs the Job again",
        ),
        (
            [],
            THEIRS,
            "is gone: its owner, not this stack, makes and fills it again, and then `up --refresh` checks "
            "its files",
        ),
    ],
    ids=["the stack's own", "its owner's", "its owner's, and missing"],
)
def test_a_claim_that_was_made_after_its_download_is_empty_or_its_owner_s(
    listed: list[dict[str, Any]], objects: ServingObjects, said: str
) -> None:
    [loss] = _losses(*listed, _job(completionTime=DONE), objects=objects)
    assert (str(loss), loss.command) == (f"PersistentVolumeClaim model-cache {said}", "")


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param([_claim(), _job(completionTime=DONE)], id="a claim that was filled"),
        pytest.param([_claim(), _job(active=1)], id="a claim that is being filled"),
        pytest.param([_job(completionTime=DONE)], id="a missing claim, which Pulumi sees itself"),
        # Which is no silence either.
        pytest.param([], id="a stack before its first up"),
    ],
)
def test_what_is_as_it_should_be_or_is_told_elsewhere_is_no_loss(listed: list[dict[str, Any]]) -> None:
    assert _losses(*listed) == ()


def test_a_claim_that_is_being_deleted_names_who_holds_it_and_the_one_command_before_up() -> None:
    pods = (
        _holding_pod("decode-0", "a"),
        _holding_pod("download", "b"),
        _holding_pod("waits", None),
        _holding_pod("other", "a", "logs"),
    )
    [loss] = _losses(_claim(deletionTimestamp=LATER, finalizers=[PROTECTION]), pods=pods)
    assert "is being deleted since 2026-11-22T12:00:00Z, held by pod decode-0, pod download: " in str(loss)
    assert loss.command == (
        "kubectl --context gpu-cluster delete dynamographdeployments.v1alpha1.nvidia.com/graph "
        "job/model-download pvc/model-cache --namespace gpt-oss --ignore-not-found --cascade=foreground"
    )


def test_of_a_server_without_dynamo_its_deployment_goes_before_the_claim() -> None:
    [loss] = _losses(_claim("Lost"), objects=replace(OBJECTS, by_dynamo=False))
    assert " delete deployments.apps/graph job/model-download pvc/model-cache " in loss.command


def test_a_namespace_and_a_graph_that_are_being_deleted_say_what_holds_them() -> None:
    namespace = _object("Namespace", "gpt-oss", deletionTimestamp=LATER)
    namespace["status"] = {
        "conditions": [{"type": "NamespaceContentRemaining", "status": "True", "message": "pods. has 3"}]
    }
    ending = {"deletionTimestamp": LATER, "finalizers": ["foregroundDeletion"]}
    graph = _object("DynamoGraphDeployment", "graph", **ending)
    found = _losses(_object("Namespace", "dynamo-system"), namespace, _claim(), graph=graph)
    assert [loss.subject.kind for loss in found] == ["Namespace", "DynamoGraphDeployment"]
    assert "NamespaceContentRemaining: pods. has 3" in str(found[0])
    assert "finalizer foregroundDeletion, removed by Kubernetes, once what it owns is gone" in str(found[1])


@pytest.mark.parametrize("claim", [_claim("Lost"), _claim(deletionTimestamp=LATER, finalizers=[PROTECTION])])
def test_a_claim_of_somebody_else_is_left_for_its_owner_to_delete_and_fill(claim: dict[str, Any]) -> None:
    [loss] = _losses(claim, objects=THEIRS)
    assert "nce it is gone, its owner, not this stack, makes and fills it again, and then" in str(loss)
    assert loss.owner_acts
    assert loss.command == (
        "kubectl --context gpu-cluster delete dynamographdeployments.v1alpha1.nvidia.com/graph "
        "job/model-download --namespace gpt-oss --ignore-not-found --cascade=foreground"
    )


def test_a_cluster_that_does_not_answer_says_nothing_and_is_asked_once() -> None:
    silent = Told({"namespaces": SILENT})
    assert look(silent, OBJECTS) is None
    assert len(silent.asked) == 1
    assert look(Told({"persistentvolumeclaims": REFUSED}), OBJECTS) is None


def test_somebody_who_may_not_read_namespaces_is_still_told_of_a_claim_without_its_volume() -> None:
    seen = look(Told({"namespaces": REFUSED, "persistentvolumeclaims": [_claim("Lost")]}), OBJECTS)
    assert seen is not None
    [loss] = seen.losses
    assert "has lost its volume pv-1" in str(loss)
    assert "pvc/model-cache" in loss.command
