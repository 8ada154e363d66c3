"""What is going, or empty, though every field is as it was written."""

from dataclasses import replace
from typing import Any

import pytest

from failures.health import ServingObjects
from failures.losses import Loss, look
from tests.support.clusters import REFUSED, SILENT, Told

OBJECTS = ServingObjects(
    "gpt-oss",
    "graph",
    claim="model-cache",
    job="model-download",
    namespaces=("dynamo-system", "gpt-oss"),
)
MADE, DONE, LATER = "2026-11-22T10:00:00Z", "2026-11-22T11:00:00Z", "2026-11-22T12:00:00Z"
STORED = {
    "metadata": {"name": "dynamographdeployments.nvidia.com"},
    "spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]},
}
PROTECTION = "kubernetes.io/pvc-protection"


def _object(kind: str, name: str, **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": name, **metadata}}


def _claim(phase: str = "Bound", **metadata: Any) -> dict[str, Any]:
    claim = _object("PersistentVolumeClaim", "model-cache", **({"creationTimestamp": MADE} | metadata))
    return {**claim, "spec": {"volumeName": "pv-1"}, "status": {"phase": phase}}


def _job(**status: Any) -> dict[str, Any]:
    return {**_object("Job", "model-download"), "status": status}


def _pod(name: str, node: str | None, claim: str = "model-cache") -> dict[str, Any]:
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


def test_a_claim_that_was_made_after_its_download_is_empty() -> None:
    [loss] = _losses(_claim(creationTimestamp=LATER), _job(completionTime=DONE))
    assert str(loss) == (
        "PersistentVolumeClaim model-cache was made again at 2026-11-22T12:00:00Z, after Job model-download "
        "was done at 2026-11-22T11:00:00Z: the volume is empty; `up --refresh` runs the Job again"
    )
    assert loss.command == ""


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
    pods = (_pod("decode-0", "a"), _pod("download", "b"), _pod("waits", None), _pod("other", "a", "logs"))
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
    graph = _object(
        "DynamoGraphDeployment", "graph", deletionTimestamp=LATER, finalizers=["foregroundDeletion"]
    )
    found = _losses(_object("Namespace", "dynamo-system"), namespace, _claim(), graph=graph)
    assert [loss.subject.kind for loss in found] == ["Namespace", "DynamoGraphDeployment"]
    assert "NamespaceContentRemaining: pods. has 3" in str(found[0])
    assert "finalizer foregroundDeletion, removed by Kubernetes, once what it owns is gone" in str(found[1])


def test_a_missing_claim_that_the_stack_does_not_make_is_a_loss() -> None:
    theirs = ServingObjects("gpt-oss", claim="weights", job="model-check", own_claim=False)
    [loss] = _losses(_job(completionTime=DONE), objects=theirs)
    assert "PersistentVolumeClaim weights is gone" in str(loss)


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
