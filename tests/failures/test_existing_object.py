"""What a person reads beside the provider's "Import it, delete it, or set `upsertExistingObjects`"."""

from typing import Any

import pytest

from failures.failed_operation import FailedOperation, explanation
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER

EXISTS = (
    "The resource already exists in the cluster. This can happen when: an earlier update was interrupted. "
    "Import it, delete it, or set `upsertExistingObjects` on the provider to take it over."
)
IN_USE = "Error: cannot re-use a name that is still in use"


def _labels(stack: str) -> dict[str, Any]:
    return {"app.kubernetes.io/managed-by": "pulumi", "app.kubernetes.io/instance": stack}


def _said(kind: str, error: str = EXISTS) -> str:
    inputs: dict[str, Any] = {
        "metadata": {"name": "model-cache", "namespace": "gpt-oss", "labels": _labels("dev")}
    }
    if kind == "Release":
        inputs = {"name": "dynamo-platform", "namespace": "dynamo-system"}
    failed = FailedOperation("create", kind, inputs, error, None, "dev")
    return explanation(CLUSTER, failed) or ""


def test_what_an_interrupted_run_of_this_stack_made_is_taken_over_by_recover(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(PersistentVolumeClaim={"metadata": {"labels": _labels("dev")}})
    said = _said("PersistentVolumeClaim")
    assert "PersistentVolumeClaim model-cache exists already, and it is this stack's own" in said
    assert "What to do: `dynamo-stack recover dev`" in said
    assert "Neither delete it nor import it by hand, and do not set upsertExistingObjects" in said


@pytest.mark.parametrize(
    ("kind", "asked", "error"),
    [("PersistentVolumeClaim", "PersistentVolumeClaim", EXISTS), ("Release", "Namespace", IN_USE)],
)
def test_what_another_stack_has_is_left_to_it(
    cluster: AnsweringCluster, kind: str, asked: str, error: str
) -> None:
    cluster.answers(**{asked: {"metadata": {"labels": _labels("first")}}})
    said = _said(kind, error)
    assert "exists already, and belongs to stack first." in said
    assert "`platform: {kind: existing}`" in said
    assert "recover" not in said


def test_what_nobody_can_say_of_is_shown_before_anything_is_done(cluster: AnsweringCluster) -> None:
    said = _said("PersistentVolumeClaim")
    assert "it does not say whose it is" in said
    assert "--show-labels" in said
    assert cluster.asked()
