"""What a person is told to type for an object that does not go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from components.diagnosis.explain import explanation
from tests.components.diagnosis.objects import CLUSTER, failed, pod

if TYPE_CHECKING:
    from tests.components.diagnosis.conftest import AnsweringKubectl

PROTECTION = "kubernetes.io/pvc-protection"
CLAIM = "PersistentVolumeClaim"


def _terminating(*finalizers: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"deletionTimestamp": "now", "finalizers": [*finalizers], **metadata}}


def _said(kind: str) -> str:
    return explanation(CLUSTER, failed(kind, operation="delete")) or ""


def test_a_graph_is_let_go_by_its_operator_and_not_by_a_patch_that_its_webhook_would_refuse(
    kubectl: AnsweringKubectl,
) -> None:
    kubectl.answers(**{"dynamographdeployments.nvidia.com": _terminating("nvidia.com/finalizer")})
    said = _said("DynamoGraphDeployment")
    assert "bring the operator back (docs/runbook/operator-gone.md)" in said
    assert "kubectl --context somewhere patch" not in said


def test_a_strangers_finalizer_is_lifted_and_the_others_stay(kubectl: AnsweringKubectl) -> None:
    kubectl.answers(
        persistentvolumeclaims=_terminating(
            PROTECTION, "example.com/hold", name="model-cache", namespace="gpt-oss"
        ),
        pods=[],
    )
    said = _said(CLAIM)
    assert "finalizer example.com/hold, removed by whoever set it" in said
    assert (
        "kubectl --context somewhere patch persistentvolumeclaims model-cache --namespace gpt-oss "
        f"""--type=merge --patch '{{"metadata": {{"finalizers": ["{PROTECTION}"]}}}}'"""
    ) in said


def test_a_claim_that_is_in_use_names_the_pods_that_use_it(kubectl: AnsweringKubectl) -> None:
    mount = {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}]}
    claim = _terminating(PROTECTION, name="model-cache", namespace="gpt-oss")
    kubectl.answers(persistentvolumeclaims=claim, pods=[pod("debug", mount), pod("other")])
    said = _said(CLAIM)
    assert "pod debug mounts it" in said
    assert "pod other" not in said
    assert "patch" not in said
