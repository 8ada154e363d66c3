from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider import (
    await_daemon_set,
    await_deployment,
    await_job,
    await_pod,
    await_service,
    await_stateful_set,
)
from lab.kubernetes_provider.conditions import generic_readiness
from lab.kubernetes_provider.object_annotations import deletion_propagation, timeout_seconds


class _Cluster:
    """Answers with the objects that it is given."""

    def __init__(
        self, pods: list[dict[str, Any]] | None = None, endpoints: dict[str, Any] | None = None
    ) -> None:
        self.pods = pods or []
        self.endpoints = endpoints

    def list(self, *_: Any, **__: Any) -> list[dict[str, Any]]:
        return self.pods

    def find(self, *_: Any) -> dict[str, Any] | None:
        return self.endpoints


def _cluster(**answers: Any) -> Any:
    return _Cluster(**answers)


def _object(status: dict[str, Any], spec: dict[str, Any] | None = None) -> dict[str, Any]:
    metadata = {"name": "n", "namespace": "s", "generation": 1}
    return {
        "metadata": metadata,
        "spec": spec or {"selector": {}},
        "status": {"observedGeneration": 1, **status},
    }


def _job(*conditions: dict[str, str]) -> dict[str, Any]:
    return _object({"startTime": "t", "conditions": list(conditions)})


@pytest.mark.parametrize("reason", ["BackoffLimitExceeded", "DeadlineExceeded"])
def test_a_job_out_of_tries_or_time_fails_at_once(reason: str) -> None:
    found = await_job.check(
        _cluster(), _job({"type": "Failed", "status": "True", "reason": reason, "message": "m"})
    )
    assert found.failed
    assert found.reasons == (f"[{reason}] m",)


def test_a_job_that_failed_otherwise_may_still_recover() -> None:
    found = await_job.check(
        _cluster(), _job({"type": "Failed", "status": "True", "reason": "PodFailurePolicy"})
    )
    assert not found.ready
    assert not found.failed


def test_a_stateful_set_counts_replicas_and_revisions() -> None:
    done = {
        "replicas": 2,
        "readyReplicas": 2,
        "currentReplicas": 2,
        "currentRevision": "a",
        "updateRevision": "a",
    }

    def reasons(
        status: dict[str, Any], *, is_update: bool = False, strategy: str = "RollingUpdate"
    ) -> tuple[str, ...]:
        live = _object(status, {"replicas": 2, "selector": {}, "updateStrategy": {"type": strategy}})
        return await_stateful_set.check(_cluster(), live, is_update=is_update).reasons

    assert reasons(done) == ()
    assert reasons({**done, "readyReplicas": 1}) == ("1 out of 2 replicas succeeded readiness checks",)
    advancing = {**done, "updateRevision": "b"}
    assert 'failed to advance from revision "a" to revision "b"' in reasons(advancing)[0]
    assert reasons(advancing, is_update=True, strategy="OnDelete") == ()


def test_a_daemon_set_is_ready_on_every_wanted_node() -> None:
    done = {
        "desiredNumberScheduled": 2,
        "currentNumberScheduled": 2,
        "updatedNumberScheduled": 2,
        "numberAvailable": 2,
        "numberReady": 2,
    }
    assert await_daemon_set.check(_object(done)).ready
    assert await_daemon_set.check(_object({**done, "numberAvailable": 1})).status == "Available: 1/2"
    assert not await_daemon_set.check(_object({})).ready


def test_a_pod_tells_the_kubelets_reasons_and_not_the_schedulers() -> None:
    unscheduled = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes are available"}
    found = await_pod.check(_object({"conditions": [unscheduled]}))
    assert not found.ready
    assert found.reasons == ()
    pulling = {"name": "main", "state": {"waiting": {"reason": "ErrImagePull", "message": "not found"}}}
    assert await_pod.check(_object({"containerStatuses": [pulling]})).reasons == (
        "[main] ErrImagePull not found",
    )
    assert await_pod.check(_object({"phase": "Succeeded"})).ready


def _deployment(revision: str, *, available: bool, rolled_out: bool) -> dict[str, Any]:
    conditions = [
        {"type": "Available", "status": str(available), "reason": "Minimum", "message": "replicas"},
        {
            "type": "Progressing",
            "status": "True",
            "reason": "NewReplicaSetAvailable" if rolled_out else "ReplicaSetUpdated",
        },
    ]
    live = _object({"conditions": conditions}, {"selector": {}, "template": {"spec": {}}})
    live["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": revision}
    return live


@pytest.mark.parametrize(
    ("revision", "available", "rolled_out", "reasons"),
    [
        ("1", False, False, ("[Minimum] replicas", await_deployment.NOT_AVAILABLE)),
        ("1", True, False, (await_deployment.REPLICA_SET_NOT_READY,)),
        ("2", False, True, ("[Minimum] replicas", await_deployment.NOT_AVAILABLE)),
        ("2", True, False, (await_deployment.REPLICA_SET_NOT_READY,)),
        ("2", True, True, (await_deployment.ROLLOUT_STUCK,)),
    ],
)
def test_a_deployment_says_what_is_missing_and_not_why(
    revision: str, available: bool, rolled_out: bool, reasons: tuple[str, ...]
) -> None:
    live = _deployment(revision, available=available, rolled_out=rolled_out)
    assert await_deployment.check(_cluster(), live).reasons == reasons


def test_endpoints_settle_after_their_last_change() -> None:
    now = [0.0]
    cluster = _cluster(endpoints={"metadata": {"resourceVersion": "1"}})
    endpoints = await_service.Endpoints(cluster, clock=lambda: now[0])
    service = _object({}, {"selector": {"a": "b"}, "clusterIP": "10.0.0.1"})
    assert not endpoints(service).ready
    now[0] = 9
    cluster.endpoints = {"metadata": {"resourceVersion": "2"}}
    assert not endpoints(service).ready
    now[0] = 18
    assert not endpoints(service).ready
    now[0] = 19
    assert endpoints(service).ready
    cluster.endpoints = {"metadata": {"resourceVersion": "2"}, "subsets": [{"notReadyAddresses": [{}]}]}
    assert endpoints(service).reasons == (await_service.NO_PODS,)


@pytest.mark.parametrize(
    "spec", [{}, {"selector": {"a": "b"}, "clusterIP": "None"}, {"type": "ExternalName"}]
)
def test_a_service_without_endpoints_of_its_own_is_ready_at_once(spec: dict[str, Any]) -> None:
    assert await_service.Endpoints(_cluster())(_object({}, spec or {"ports": []})).ready


def test_any_kind_is_judged_by_its_conditions_when_asked_to() -> None:
    assert generic_readiness({"metadata": {"generation": 1}}).ready
    assert not generic_readiness(_object({"conditions": [{"type": "Ready", "status": "False"}]})).ready
    assert not generic_readiness(_object({"conditions": [{"type": "Reconciling", "status": "True"}]})).ready
    assert generic_readiness(_object({"conditions": [{"type": "Stalled", "status": "True"}]})).failed


def test_timeouts_and_propagation_come_from_options_and_annotations() -> None:
    annotated = {"metadata": {"annotations": {"pulumi.com/timeoutSeconds": "30"}}}
    assert timeout_seconds(5, annotated) == 5
    assert timeout_seconds(0, annotated) == 30
    assert timeout_seconds(0, {}) == 600
    assert deletion_propagation({}) == "Foreground"
    background = {"metadata": {"annotations": {"pulumi.com/deletionPropagationPolicy": "background"}}}
    assert deletion_propagation(background) == "Background"
