"""What a person is told to type for an object that does not go, and for one that exists already."""

from typing import Any

import pytest

from tests.failures.conftest import AnsweringCluster, failed, failure, pod, said_of

PROTECTION = "kubernetes.io/pvc-protection"
OPERATORS = "nvidia.com/finalizer"
OPERATOR_GONE = "bring the operator back (docs/runbook/operator-gone.md)"
GRAPHS, PARTS = "dynamographdeployments.nvidia.com", "dynamocomponentdeployments.nvidia.com"
STORED = {"spec": {"versions": [{"name": "v1alpha1", "storage": True}]}}
VOLUME = {"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}
ENDING = {"metadata": {"name": "decode-0", "deletionTimestamp": "now"}, "spec": {"nodeName": "tray-0"}}


def _terminating(*finalizers: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"deletionTimestamp": "now", "finalizers": [*finalizers], **metadata}}


PART = {"kind": "DynamoComponentDeployment", **_terminating(OPERATORS, name="frontend")}


def _namespace(condition: str, message: str) -> dict[str, Any]:
    said = {"type": condition, "status": "True", "message": message}
    return {**_terminating(), "status": {"conditions": [said]}}


@pytest.mark.parametrize(
    ("kind", "answers", "said", "unsaid"),
    [
        pytest.param(
            "DynamoGraphDeployment",
            {GRAPHS: _terminating(OPERATORS)},
            (f"finalizer {OPERATORS}, removed by the Dynamo operator", OPERATOR_GONE),
            # Its webhook would refuse it.
            "kubectl --context somewhere patch",
            id="a graph is let go by its operator and not by a patch",
        ),
        pytest.param(
            "DynamoGraphDeployment",
            {"pods": [ENDING, pod("other")], GRAPHS: _terminating("foregroundDeletion"), PARTS: [PART]},
            (
                "finalizer foregroundDeletion, removed by Kubernetes, once what it owns is gone",
                f"DynamoComponentDeployment frontend: finalizer {OPERATORS}, removed by the Dynamo operator",
                "pod decode-0: being deleted, which its node tray-0 has not confirmed",
                OPERATOR_GONE,
            ),
            "pod other",
            id="a graph that waits for its parts names each, and each pod that stays",
        ),
        pytest.param(
            "DynamoGraphDeployment",
            {
                "customresourcedefinitions": STORED,
                "dynamographdeployments.v1alpha1.nvidia.com": _terminating(OPERATORS),
                "dynamocomponentdeployments.v1alpha1.nvidia.com": [PART],
            },
            (
                "DynamoComponentDeployment frontend",
                "get dynamographdeployments.v1alpha1.nvidia.com gpt-oss-disagg --namespace gpt-oss",
            ),
            "patch",
            id="an object is looked at in the version that is stored",
        ),
        *(
            pytest.param(
                "Namespace",
                {"namespaces": _namespace(condition, message), PARTS: [PART]},
                (
                    f"{condition}: {message}",
                    f"DynamoComponentDeployment frontend: finalizer {OPERATORS}",
                    OPERATOR_GONE,
                ),
                "patch",
                id=f"a namespace that waits for the operator, {condition}",
            )
            for condition, message in (
                ("NamespaceFinalizersRemaining", "nvidia.com/finalizer in 3 resource instances"),
                (
                    "NamespaceDeletionContentFailure",
                    "conversion webhook for nvidia.com/v1alpha1, Kind=D failed",
                ),
            )
        ),
        pytest.param(
            "ComputeDomain",
            {"computedomains.resource.nvidia.com": _terminating("resource.nvidia.com/computeDomain")},
            ("finalizer resource.nvidia.com/computeDomain, removed by", "DRA driver"),
            "operator back",
            id="a compute domain",
        ),
        pytest.param(
            "PersistentVolumeClaim",
            {
                "PersistentVolumeClaim": _terminating(PROTECTION, "example.com/hold", name="model-cache"),
                "pods": [],
            },
            (
                f"finalizer {PROTECTION}, removed by",
                "no pod mounts",
                "finalizer example.com/hold, removed by the program that set it",
                "kubectl --context somewhere patch persistentvolumeclaims model-cache --namespace gpt-oss "
                f"""--type=merge --patch '{{"metadata": {{"finalizers": ["{PROTECTION}"]}}}}'""",
            ),
            "operator",
            id="a stranger's finalizer is lifted and the others stay",
        ),
        pytest.param(
            "PersistentVolumeClaim",
            {
                "PersistentVolumeClaim": _terminating(PROTECTION, name="model-cache", namespace="gpt-oss"),
                "pods": [pod("debug", {"nodeName": "tray-0", "volumes": [VOLUME]}), pod("other")],
            },
            ("pod debug mounts it",),
            "patch",
            id="a claim that is in use names the pods that use it",
        ),
    ],
)
def test_what_does_not_go_names_what_holds_it_and_what_lets_it_go(
    cluster: AnsweringCluster, kind: str, answers: dict[str, Any], said: tuple[str, ...], unsaid: str
) -> None:
    cluster.answers(**answers)
    text = said_of(failed(kind, operation="delete"))
    assert [part for part in said if part not in text] == []
    assert unsaid not in text


EXISTS = (
    "The resource already exists in the cluster. This can happen when: an earlier update was interrupted. "
    "Import it, delete it, or set `upsertExistingObjects` on the provider to take it over."
)
IN_USE = "Error: cannot re-use a name that is still in use"


def _of_stack(name: str) -> dict[str, Any]:
    labels = {"app.kubernetes.io/managed-by": "pulumi", "app.kubernetes.io/instance": name}
    return {"metadata": {"name": "model-cache", "namespace": "gpt-oss", "labels": labels}}


@pytest.mark.parametrize(
    ("kind", "error", "answers", "said"),
    [
        pytest.param(
            "PersistentVolumeClaim",
            EXISTS,
            {"PersistentVolumeClaim": _of_stack("dev")},
            (
                "PersistentVolumeClaim model-cache exists already, and it is this stack's own",
                "What to do: `dynamo-stack recover dev`",
                "Neither delete it nor import it by hand, and do not set upsertExistingObjects",
            ),
            id="what an interrupted run of this stack made is taken over",
        ),
        *(
            pytest.param(
                kind,
                error,
                {asked: _of_stack("first")},
                ("exists already, and belongs to stack first.", "`platform: {kind: existing}`"),
                id=f"what another stack has is left to it, {kind}",
            )
            for kind, asked, error in (
                ("PersistentVolumeClaim", "PersistentVolumeClaim", EXISTS),
                ("Release", "Namespace", IN_USE),
            )
        ),
        pytest.param(
            "PersistentVolumeClaim",
            EXISTS,
            {},
            ("it does not say whose it is", "--show-labels"),
            id="what nobody can say of is shown before anything is done",
        ),
    ],
)
def test_what_exists_already_is_recovered_where_it_is_this_stacks_own_and_left_where_not(
    cluster: AnsweringCluster, kind: str, error: str, answers: dict[str, Any], said: tuple[str, ...]
) -> None:
    cluster.answers(**answers)
    release = {"name": "dynamo-platform", "namespace": "dynamo-system"}
    inputs = release if kind == "Release" else _of_stack("dev")
    text = said_of(failure(kind, inputs, error), "dev")
    assert [part for part in said if part not in text] == []
    assert ("recover" in text) is ("stack first" not in text)
