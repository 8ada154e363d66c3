"""What a person reads of a graph that did not become ready; no stack waits without a message, or for ever."""

from typing import Any

import pulumi
import pytest

from failures.failed_operation import EXPLAINED_KINDS, kind_of, pause_before_another_try
from failures.pods_and_events import pod_reasons
from resource_graph import Resource
from tests.failures.conftest import PENDING, READY, UNSCHEDULABLE, AnsweringCluster, failed, pod, said_of
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

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
STORED = [{"name": "v1beta1", "storage": False}, {"name": "v1alpha1", "storage": True}]
STALE = {"metadata": {"generation": 2}, "status": {"observedGeneration": 1}}
ENDING = {"metadata": {"name": "decode", "deletionTimestamp": "now"}, "spec": {"nodeName": "tray-0"}}


def _graph(status: str, **more: Any) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "Ready", "status": status, **more}]}}


def _states(**state: Any) -> list[dict[str, Any]]:
    return [{"name": "main", "state": state}]


@pytest.mark.parametrize(
    ("unready", "reason"),
    [
        (PENDING, f"decode: Pending, {UNSCHEDULABLE}"),
        (
            pod(
                "decode",
                phase="Pending",
                containerStatuses=_states(waiting={"reason": "ErrImagePull", "message": "no such tag"}),
            ),
            "decode: main waiting, ErrImagePull no such tag",
        ),
        (
            pod(
                "decode",
                phase="Running",
                initContainerStatuses=[{"name": "prepare", "state": {"terminated": {"reason": "Completed"}}}],
                containerStatuses=_states(terminated={"reason": "OOMKilled"}),
            ),
            "decode: main terminated, OOMKilled",
        ),
        (pod("decode", phase="Running", conditions=None), "decode: Running, started but not ready"),
        (pod("decode"), "decode: unknown, started but not ready"),
        (ENDING, "decode: being deleted, which its node tray-0 has not confirmed"),
    ],
)
def test_a_pod_that_is_not_ready_says_why(unready: dict[str, Any], reason: str) -> None:
    assert pod_reasons([READY, unready]) == [reason]


def test_the_person_reads_which_wait_how_long_for_what_and_the_schedulers_own_words(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(pods=[READY, PENDING], nodes=[])
    said = said_of(failed(GRAPH))
    assert said.splitlines() == [
        "The wait for graph gpt-oss-disagg ended.",
        "It waits until its operator reports the condition Ready: every worker has loaded the model.",
        "What is wrong now:",
        f"  decode: Pending, {UNSCHEDULABLE}",
        LOOK,
        "What to do: mend that, then run `pulumi up` again: it continues from here.",
        "Runbook: docs/runbook/graph-never-ready.md",
    ]


SILENT_NODE = {
    "metadata": {"name": "tray-0"},
    "status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": "Kubelet stopped"}]},
}
GRAPHS = "dynamographdeployments.nvidia.com"
OVER_QUOTA = {
    "type": "ReplicaFailure",
    "status": "True",
    "reason": "FailedCreate",
    "message": "no quota\nleft",
}
UNADMITTED: dict[str, Any] = {
    "metadata": {},
    "spec": {
        "template": {"metadata": {"labels": {"nvidia.com/dynamo-graph-deployment-name": "gpt-oss-disagg"}}}
    },
    "status": {"conditions": [OVER_QUOTA]},
}
OF_ANOTHER = UNADMITTED | {"spec": {"template": {"metadata": {}}}}
NOT_DELETED = UNADMITTED | {"status": {"conditions": [OVER_QUOTA | {"reason": "FailedDelete"}]}}
SAID = "every pod is ready, but the operator says: "


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        pytest.param(
            {
                "pods": [pod(name, {"nodeName": name}, phase="Running") for name in ("tray-0", "tray-1")],
                "nodes": [SILENT_NODE],
            },
            (
                "node tray-0: not ready, Kubelet stopped",
                "node tray-1: does not exist any more",
                "docs/runbook/gpu-node-lost.md",
            ),
            id="workers on nodes that went away",
        ),
        pytest.param(
            {"pods": []},
            ("it has no pods, and the operator says: its operator has",),
            id="no pods and no word",
        ),
        pytest.param(
            {"pods": [], GRAPHS: _graph("False", reason="failed", message="no queue")},
            ("it has no pods, and the operator says: failed no queue",),
            id="no pods and the operator's word",
        ),
        pytest.param(
            {"pods": [], "deployments": [UNADMITTED]},
            ("  no quota left",),
            id="pods that the API server refuses",
        ),
        pytest.param(
            {"pods": [], "deployments": [OF_ANOTHER, NOT_DELETED]},
            ("it has no pods, and",),
            id="pods of others that the API server refuses",
        ),
        pytest.param(
            {"pods": [READY], GRAPHS: _graph("False", reason="some_resources_are_not_ready")},
            (f"{SAID}some_resources_are_not_ready",),
            id="ready pods that the operator does not call ready",
        ),
        pytest.param(
            {"pods": [READY], GRAPHS: _graph("True")},
            ("it is ready by now", "run `pulumi up` again"),
            id="ready meanwhile",
        ),
        pytest.param(
            {"pods": [READY], GRAPHS: STALE | {"status": _graph("True")["status"] | STALE["status"]}},
            (f"{SAID}its operator has not looked at its latest change yet",),
            id="ready for what was asked before",
        ),
        pytest.param(
            {
                "pods": [READY],
                "customresourcedefinitions": {"spec": {"versions": STORED}},
                "dynamographdeployments.v1alpha1.nvidia.com": _graph("False", reason="stored"),
            },
            (f"{SAID}stored",),
            id="at the version that no operator need convert",
        ),
        pytest.param({}, ("See: kubectl --context somewhere get pods",), id="no answer of the cluster"),
    ],
)
def test_a_graph_is_explained_by_its_nodes_its_pods_or_its_operator(
    cluster: AnsweringCluster, answers: dict[str, Any], said: tuple[str, ...]
) -> None:
    cluster.answers(**answers)
    text = said_of(failed(GRAPH))
    assert [part for part in said if part not in text] == []
    assert ("What is wrong now" in text) is bool(answers)


REFUSED_BY = CONVERTING.format(reason="dial tcp 10.0.0.7:443: connect: connection refused")
GONE = CONVERTING.format(reason='service "platform-webhook-service" not found')


@pytest.mark.parametrize(
    ("error", "operation", "answers", "said"),
    [
        pytest.param(
            REFUSED,
            "create",
            {"Service": WEBHOOK_SERVICE, "pods": [READY]},
            (
                "webhook does not answer yet",
                "run the same command again",
                "get pods --namespace dynamo-system --selector control-plane=controller-manager",
            ),
            id="an operator that starts",
        ),
        pytest.param(
            REFUSED, "create", {"Service": WEBHOOK_SERVICE, "pods": [PENDING]}, (UNSCHEDULABLE,), id="no room"
        ),
        *(
            pytest.param(
                error,
                operation,
                {"Service": WEBHOOK_SERVICE, "pods": []},
                ("the operator has no pod", "docs/runbook/operator-gone.md"),
                id=f"an operator that is gone, {operation}",
            )
            for error, operation in ((REFUSED, "create"), (REFUSED_BY, "update"), (REFUSED_BY, "delete"))
        ),
        pytest.param(
            GONE,
            "delete",
            {},
            (
                "the platform's Helm release is gone, and the operator with it",
                "docs/runbook/operator-gone.md",
            ),
            id="a platform that was uninstalled under its graphs",
        ),
    ],
)
def test_a_webhook_that_does_not_answer_is_told_from_a_graph_that_is_wrong(
    cluster: AnsweringCluster, error: str, operation: str, answers: dict[str, Any], said: tuple[str, ...]
) -> None:
    cluster.answers(**answers)
    text = said_of(failed(GRAPH, error, operation))
    assert [part for part in said if part not in text] == []


def test_only_a_webhook_that_does_not_answer_is_asked_again_and_for_half_a_minute() -> None:
    refused = [
        pulumi.ErrorHookArgs("", "", "", "", failed_operation="update", errors=[REFUSED] * tries)
        for tries in range(1, 6)
    ]
    assert list(map(pause_before_another_try, refused)) == [2, 4, 8, 16, None]
    for looked_at in (
        failed(GRAPH, "timed out waiting for the condition", "update"),
        failed(GRAPH, "admission webhook denied it", "update"),
        failed(GRAPH, REFUSED, "delete"),
    ):
        assert pause_before_another_try(looked_at) is None


@pytest.mark.parametrize("error", ["admission webhook denied the request", "spec.services: Required value"])
def test_a_failure_that_is_no_wait_is_left_in_the_providers_words(
    cluster: AnsweringCluster, error: str
) -> None:
    cluster.answers(pods=[READY, PENDING])
    assert said_of(failed(GRAPH, error)) == ""
    assert cluster.asked() == []


# Kinds that pulumi-kubernetes 4.32 waits for by itself (provider/pkg/await/awaiters.go).
WAITED_FOR = {
    "DaemonSet",
    "Deployment",
    "Ingress",
    "Job",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "Release",
    "ResourceQuota",
    "Service",
    "StatefulSet",
}
# The provider's own clock, which heeds no timeout.
FIXED_CLOCK = {"PersistentVolume", "PersistentVolumeClaim"}
# What others act on before it is gone; the rest goes at once.
SLOW_TO_GO = {"ComputeDomain", "DynamoGraphDeployment", "Namespace", "PersistentVolumeClaim", "StatefulSet"}


def _is_waited_for(resource: Resource) -> bool:
    annotations = resource.metadata.get("annotations")
    named = annotations if isinstance(annotations, dict) else {}
    return kind_of(resource.type) in WAITED_FOR or "pulumi.com/waitFor" in named


# Simulated nodes; a compute domain, and servers of the platform; a server without Dynamo.
@pytest.mark.parametrize("name", ["dev", "disagg-gb200-two-trays", "throughput-h200"])
def test_every_wait_of_a_shipped_stack_has_a_message_and_a_deadline_that_the_program_chose(name: str) -> None:
    objects = [each for each in recorded_stack(shipped_stack(name)) if kind_of(each.type)]
    waited = {kind_of(resource.type) for resource in objects if _is_waited_for(resource)}
    assert waited & {"DynamoGraphDeployment", "Deployment"}
    assert waited <= EXPLAINED_KINDS
    assert {kind_of(resource.type) for resource in objects} & SLOW_TO_GO <= EXPLAINED_KINDS
    for resource in objects:
        kind, limits = kind_of(resource.type), resource.custom_timeouts
        if _is_waited_for(resource) and kind not in FIXED_CLOCK:
            assert limits.create, resource.urn
            assert limits.update, resource.urn
        if kind in SLOW_TO_GO:
            assert limits.delete, resource.urn
    # A download that failed is started again by the next up.
    [job] = [resource for resource in objects if kind_of(resource.type) == "Job"]
    assert job.metadata["annotations"] == {"pulumi.com/replaceUnready": "true"}
