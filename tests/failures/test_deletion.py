"""What a person is told to type for an object that does not go."""

from typing import Any

import pytest

from failures.failed_operation import explanation
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, failed, pod

PROTECTION = "kubernetes.io/pvc-protection"
CLAIM = "PersistentVolumeClaim"


def _terminating(*finalizers: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"deletionTimestamp": "now", "finalizers": [*finalizers], **metadata}}


def _said(kind: str) -> str:
    return explanation(CLUSTER, failed(kind, operation="delete")) or ""


def test_a_graph_is_let_go_by_its_operator_and_not_by_a_patch_that_its_webhook_would_refuse(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(**{"dynamographdeployments.nvidia.com": _terminating("nvidia.com/finalizer")})
    said = _said("DynamoGraphDeployment")
    assert "bring the operator back (docs/runbook/operator-gone.md)" in said
    assert "kubectl --context somewhere patch" not in said


def _part(name: str, *finalizers: str) -> dict[str, Any]:
    return {"kind": "DynamoComponentDeployment", **_terminating(*finalizers, name=name)}


def test_a_graph_that_waits_for_its_parts_names_each_with_its_finalizer_and_each_pod_that_stays(
    cluster: AnsweringCluster,
) -> None:
    ending = {"metadata": {"name": "decode-0", "deletionTimestamp": "now"}, "spec": {"nodeName": "tray-0"}}
    cluster.answers(
        pods=[ending, pod("other")],
        **{
            "dynamographdeployments.nvidia.com": _terminating("foregroundDeletion"),
            "dynamocomponentdeployments.nvidia.com": [_part("frontend", "nvidia.com/finalizer")],
        },
    )
    said = _said("DynamoGraphDeployment")
    assert "finalizer foregroundDeletion, removed by Kubernetes, once what it owns is gone" in said
    assert (
        "DynamoComponentDeployment frontend: finalizer nvidia.com/finalizer, removed by the Dynamo operator"
        in said
    )
    assert "pod decode-0: being deleted, which its node tray-0 has not confirmed" in said
    assert "pod other" not in said
    assert "bring the operator back (docs/runbook/operator-gone.md)" in said


def test_an_object_is_looked_at_in_the_version_that_is_stored(cluster: AnsweringCluster) -> None:
    cluster.answers(
        customresourcedefinitions={"spec": {"versions": [{"name": "v1alpha1", "storage": True}]}},
        **{
            "dynamographdeployments.v1alpha1.nvidia.com": _terminating("nvidia.com/finalizer"),
            "dynamocomponentdeployments.v1alpha1.nvidia.com": [_part("frontend", "nvidia.com/finalizer")],
        },
    )
    said = _said("DynamoGraphDeployment")
    assert "DynamoComponentDeployment frontend" in said
    assert "get dynamographdeployments.v1alpha1.nvidia.com gpt-oss-disagg --namespace gpt-oss" in said


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("NamespaceFinalizersRemaining", "nvidia.com/finalizer in 3 resource instances"),
        (
            "NamespaceDeletionContentFailure",
            "conversion webhook for nvidia.com/v1alpha1, Kind=DynamoComponentDeployment failed",
        ),
    ],
)
def test_a_namespace_that_waits_for_the_operator_says_so(
    cluster: AnsweringCluster, condition: str, message: str
) -> None:
    said = {"type": condition, "status": "True", "message": message}
    cluster.answers(
        namespaces={**_terminating(), "status": {"conditions": [said]}},
        **{"dynamocomponentdeployments.nvidia.com": [_part("frontend", "nvidia.com/finalizer")]},
    )
    text = _said("Namespace")
    assert f"{condition}: {message}" in text
    assert "DynamoComponentDeployment frontend: finalizer nvidia.com/finalizer" in text
    assert "bring the operator back (docs/runbook/operator-gone.md)" in text


def test_a_strangers_finalizer_is_lifted_and_the_others_stay(cluster: AnsweringCluster) -> None:
    cluster.answers(
        PersistentVolumeClaim=_terminating(
            PROTECTION, "example.com/hold", name="model-cache", Namespace="gpt-oss"
        ),
        pods=[],
    )
    said = _said(CLAIM)
    assert "finalizer example.com/hold, removed by the program that set it" in said
    assert (
        "kubectl --context somewhere patch persistentvolumeclaims model-cache --namespace gpt-oss "
        f"""--type=merge --patch '{{"metadata": {{"finalizers": ["{PROTECTION}"]}}}}'"""
    ) in said


def test_a_claim_that_is_in_use_names_the_pods_that_use_it(cluster: AnsweringCluster) -> None:
    volume = {"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}
    mount = {"nodeName": "tray-0", "volumes": [volume]}
    claim = _terminating(PROTECTION, name="model-cache", namespace="gpt-oss")
    cluster.answers(PersistentVolumeClaim=claim, pods=[pod("debug", mount), pod("other")])
    said = _said(CLAIM)
    assert "pod debug mounts it" in said
    assert "pod other" not in said
    assert "patch" not in said
