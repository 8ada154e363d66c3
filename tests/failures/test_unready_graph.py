from pathlib import Path
from typing import Any

import pytest

from failures.failed_operation import explanation, pause_before_another_try
from failures.pods_and_events import pod_reasons
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, PENDING, READY, UNSCHEDULABLE, failed, pod

LOOK = (
    "See: kubectl --context somewhere get pods --namespace gpt-oss "
    "--selector nvidia.com/dynamo-graph-deployment-name=gpt-oss-disagg --output wide"
)
GRAPH = "DynamoGraphDeployment"
REFUSED = (
    'Internal error occurred: failed calling webhook "mdynamographdeployment.kb.io": failed to call webhook: '
    'Post "https://platform-webhook-service.dynamo-system.svc:443/mutate?timeout=10s": connection refused'
)
CONVERTING = (
    "conversion webhook for nvidia.com/v1alpha1, Kind=DynamoGraphDeployment failed: Post "
    '"https://platform-webhook-service.dynamo-system.svc:443/convert?timeout=30s": {reason}'
)
WEBHOOK_SERVICE = {"spec": {"selector": {"control-plane": "controller-manager"}}}


@pytest.mark.parametrize(
    ("unready", "reason"),
    [
        (PENDING, f"decode: Pending, {UNSCHEDULABLE}"),
        (
            pod(
                "decode",
                phase="Pending",
                containerStatuses=[
                    {
                        "name": "main",
                        "state": {"waiting": {"reason": "ErrImagePull", "message": "no such tag"}},
                    }
                ],
            ),
            "decode: main waiting, ErrImagePull no such tag",
        ),
        (
            pod(
                "decode",
                phase="Running",
                initContainerStatuses=[{"name": "prepare", "state": {"terminated": {"reason": "Completed"}}}],
                containerStatuses=[{"name": "main", "state": {"terminated": {"reason": "OOMKilled"}}}],
            ),
            "decode: main terminated, OOMKilled",
        ),
        (pod("decode", phase="Running", conditions=None), "decode: Running, started but not ready"),
        (pod("decode"), "decode: unknown, started but not ready"),
        (
            {"metadata": {"name": "decode", "deletionTimestamp": "now"}, "spec": {"nodeName": "tray-0"}},
            "decode: being deleted, which its node tray-0 has not confirmed",
        ),
    ],
)
def test_a_pod_that_is_not_ready_says_why(unready: dict[str, Any], reason: str) -> None:
    assert pod_reasons([READY, unready]) == [reason]


def test_the_person_reads_which_wait_how_long_for_what_and_the_schedulers_own_words(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(pods=[READY, PENDING], nodes=[])
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert said.splitlines() == [
        "The wait for graph gpt-oss-disagg ended after 25 min.",
        "It waits until its operator reports the condition Ready: every worker has loaded the model.",
        "What is wrong now:",
        f"  decode: Pending, {UNSCHEDULABLE}",
        LOOK,
        "What to do: mend that, then run `pulumi up` again: it continues from here.",
        "Runbook: docs/runbook/graph-never-ready.md",
    ]


def test_a_worker_on_a_node_that_went_away_names_the_node(cluster: AnsweringCluster) -> None:
    message = "Kubelet stopped posting node status."
    node = {
        "metadata": {"name": "tray-0"},
        "status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": message}]},
    }
    lost = [pod(name, {"nodeName": name}, phase="Running") for name in ("tray-0", "tray-1")]
    cluster.answers(pods=lost, nodes=[node])
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert f"node tray-0: not ready, {message}" in said
    assert "node tray-1: does not exist any more" in said
    assert "docs/runbook/gpu-node-lost.md" in said


def test_a_graph_without_pods_points_at_its_operator(cluster: AnsweringCluster) -> None:
    cluster.answers(pods=[])
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "it has no pods: the operator has not acted on it" in said


def test_an_operator_that_does_not_call_ready_pods_ready_is_quoted(cluster: AnsweringCluster) -> None:
    condition = {"type": "Ready", "status": "False", "reason": "some_resources_are_not_ready"}
    cluster.answers(
        pods=[READY], **{"dynamographdeployments.nvidia.com": {"status": {"conditions": [condition]}}}
    )
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "every pod is ready, but the operator says: some_resources_are_not_ready" in said


def test_an_operator_that_could_make_no_pods_is_quoted(cluster: AnsweringCluster) -> None:
    condition = {"type": "Ready", "status": "False", "reason": "failed", "message": "quota exceeded"}
    cluster.answers(pods=[], **{"dynamographdeployments.nvidia.com": {"status": {"conditions": [condition]}}})
    said = explanation(CLUSTER, failed(GRAPH, "timed out waiting for the condition")) or ""
    assert "it has no pods, and the operator says: failed quota exceeded" in said


def test_a_graph_that_became_ready_meanwhile_is_not_blamed(cluster: AnsweringCluster) -> None:
    condition = {"type": "Ready", "status": "True"}
    cluster.answers(
        pods=[READY], **{"dynamographdeployments.nvidia.com": {"status": {"conditions": [condition]}}}
    )
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "it is ready by now" in said
    assert "run `pulumi up` again" in said


def test_a_graph_that_is_ready_for_what_was_asked_before_is_not_called_ready(
    cluster: AnsweringCluster,
) -> None:
    stale = {
        "metadata": {"generation": 2},
        "status": {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    cluster.answers(pods=[READY], **{"dynamographdeployments.nvidia.com": stale})
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "the operator says: its operator has not looked at its latest change yet" in said
    assert "ready by now" not in said


def test_a_graph_is_read_at_the_version_that_needs_no_operator_to_convert_it(
    cluster: AnsweringCluster,
) -> None:
    versions = [{"name": "v1beta1", "storage": False}, {"name": "v1alpha1", "storage": True}]
    cluster.answers(
        pods=[READY],
        customresourcedefinitions={"spec": {"versions": versions}},
        **{
            "dynamographdeployments.v1alpha1.nvidia.com": {
                "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "stored"}]}
            }
        },
    )
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "every pod is ready, but the operator says: stored" in said


def test_an_answer_that_cannot_be_read_leaves_the_command_to_type(cluster: AnsweringCluster) -> None:
    assert cluster
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "What is wrong now" not in said
    assert "See: kubectl --context somewhere get pods" in said


def test_without_kubectl_the_command_to_type_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said = explanation(CLUSTER, failed(GRAPH)) or ""
    assert "See: kubectl --context somewhere get pods" in said


def test_a_webhook_that_does_not_answer_yet_is_told_apart_from_a_graph_that_is_wrong(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(Service=WEBHOOK_SERVICE, pods=[READY])
    said = explanation(CLUSTER, failed(GRAPH, REFUSED)) or ""
    assert "webhook does not answer yet" in said
    assert "run the same command again" in said
    assert "get pods --namespace dynamo-system --selector control-plane=controller-manager" in said


def test_a_webhook_that_does_not_answer_is_asked_again_for_half_a_minute() -> None:
    refused = failed(GRAPH, REFUSED, "update")
    pauses = [pause_before_another_try(refused, tries) for tries in range(1, 6)]
    assert pauses == [2, 4, 8, 16, None]


@pytest.mark.parametrize("error", ["timed out waiting for the condition", "admission webhook denied it"])
def test_what_the_cluster_has_looked_at_is_never_tried_again(error: str) -> None:
    assert pause_before_another_try(failed(GRAPH, error, "update"), 1) is None


def test_a_deletion_is_never_tried_again() -> None:
    assert pause_before_another_try(failed(GRAPH, REFUSED, "delete"), 1) is None


def test_an_operator_that_is_gone_is_told_apart_from_one_that_starts(cluster: AnsweringCluster) -> None:
    cluster.answers(Service=WEBHOOK_SERVICE, pods=[])
    gone = explanation(CLUSTER, failed(GRAPH, REFUSED)) or ""
    assert "the operator has no pod" in gone
    assert "docs/runbook/operator-gone.md" in gone
    cluster.answers(pods=[PENDING])
    assert UNSCHEDULABLE in (explanation(CLUSTER, failed(GRAPH, REFUSED)) or "")


@pytest.mark.parametrize("operation", ["create", "update", "delete"])
def test_an_object_that_nobody_converts_is_the_operators_and_not_the_api_servers_fault(
    cluster: AnsweringCluster, operation: str
) -> None:
    cluster.answers(Service=WEBHOOK_SERVICE, pods=[])
    refused = CONVERTING.format(reason="dial tcp 10.0.0.7:443: connect: connection refused")
    said = explanation(CLUSTER, failed(GRAPH, refused, operation)) or ""
    assert "the operator has no pod" in said
    assert "docs/runbook/operator-gone.md" in said


def test_a_platform_that_was_uninstalled_under_its_graphs_is_said(cluster: AnsweringCluster) -> None:
    assert cluster
    refused = CONVERTING.format(reason='service "platform-webhook-service" not found')
    said = explanation(CLUSTER, failed(GRAPH, refused, "delete")) or ""
    assert "the platform's Helm release is gone, and the operator with it" in said
    assert "docs/runbook/operator-gone.md" in said


@pytest.mark.parametrize("error", ["admission webhook denied the request", "spec.services: Required value"])
def test_a_failure_that_is_no_wait_is_left_in_the_providers_words(
    cluster: AnsweringCluster, error: str
) -> None:
    cluster.answers(pods=[READY, PENDING])
    assert explanation(CLUSTER, failed(GRAPH, error)) is None
    assert cluster.asked() == []
