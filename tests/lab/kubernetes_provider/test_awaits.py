"""When each kind counts as ready, and what its wait says: one look at a status."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.kubernetes_provider import readiness, workload_waits
from lab.kubernetes_provider.object_annotations import awaited_condition
from lab.kubernetes_provider.waiting import READY, Readiness, Subject, not_ready


class _Cluster:
    """Without any other object."""

    def list(self, *_: Any, **__: Any) -> list[dict[str, Any]]:
        return []

    def find(self, *_: Any) -> None:
        return None


def _object(status: dict[str, Any], spec: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "kind": "Kind",
        "metadata": {"name": "n", "namespace": "s", "generation": 1},
        "spec": spec or {"selector": {}},
        "status": {"observedGeneration": 1, **status},
    }


def _conditions(**conditions: Any) -> dict[str, Any]:
    return {"conditions": [{"type": name, **found} for name, found in conditions.items()]}


def _deployment(revision: str, *, available: bool, rolled_out: bool) -> dict[str, Any]:
    reason = "NewReplicaSetAvailable" if rolled_out else "ReplicaSetUpdated"
    conditions = _conditions(
        Available={"status": str(available), "reason": "Minimum", "message": "replicas"},
        Progressing={"status": "True", "reason": reason},
    )
    live = _object(conditions, {"selector": {}, "template": {"spec": {}}})
    live["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": revision}
    return live


def _failed(reason: str) -> dict[str, Any]:
    failed = _conditions(Failed={"status": "True", "reason": reason, "message": "m"})
    return _object({"startTime": "t", **failed})


_REPLICAS = {"replicas": 2, "readyReplicas": 2, "currentReplicas": 2}
_REVISIONS = {"currentRevision": "a", "updateRevision": "a"}
_COUNTS: dict[str, Any] = dict.fromkeys(
    (
        *("desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled"),
        *("numberAvailable", "numberReady"),
    ),
    2,
)
_NOT_AVAILABLE = not_ready("[Minimum] replicas", workload_waits.NOT_AVAILABLE)
_NO_REPLICAS = not_ready(workload_waits.REPLICA_SET_NOT_READY)
_PULLING = {"name": "main", "state": {"waiting": {"reason": "ErrImagePull", "message": "not found"}}}
_POD_STATUS = 'Waiting for Pod "s/n" to be ready'


def _set(**status: Any) -> dict[str, Any]:
    return _object({**_REPLICAS, **_REVISIONS, **status}, {"replicas": 2, "selector": {}})


@pytest.mark.parametrize(
    ("check", "live", "found"),
    [
        (
            workload_waits.job,
            _failed("BackoffLimitExceeded"),
            not_ready("[BackoffLimitExceeded] m", failed=True),
        ),
        (workload_waits.job, _failed("DeadlineExceeded"), not_ready("[DeadlineExceeded] m", failed=True)),
        # It may still recover.
        (workload_waits.job, _failed("PodFailurePolicy"), not_ready("[PodFailurePolicy] m")),
        (workload_waits.job, _object({"startTime": "t", **_conditions(Complete={"status": "True"})}), READY),
        (workload_waits.stateful_set, _set(), READY),
        (
            workload_waits.stateful_set,
            _set(readyReplicas=1),
            not_ready("1 out of 2 replicas succeeded readiness checks"),
        ),
        (
            workload_waits.stateful_set,
            _set(updateRevision="b"),
            not_ready('StatefulSet controller failed to advance from revision "a" to revision "b"'),
        ),
        (workload_waits.daemon_set, _object(_COUNTS), READY),
        (
            workload_waits.daemon_set,
            _object({**_COUNTS, "numberAvailable": 1}),
            not_ready(status="Available: 1/2"),
        ),
        (
            workload_waits.daemon_set,
            _object({}),
            not_ready(status="Missing .status.desiredNumberScheduled"),
        ),
        (
            workload_waits.daemon_set,
            _object({**_COUNTS, "observedGeneration": 0}),
            not_ready(status="Waiting for the Kind's current generation to be observed"),
        ),
        (workload_waits.pod, _object({"phase": "Succeeded"}), READY),
        # The kubelet's reasons, and not the scheduler's.
        (
            workload_waits.pod,
            _object(_conditions(PodScheduled={"status": "False", "message": "0/1 nodes are available"})),
            not_ready(status=_POD_STATUS),
        ),
        (
            workload_waits.pod,
            _object({"containerStatuses": [_PULLING]}),
            not_ready("[main] ErrImagePull not found", status=_POD_STATUS),
        ),
        (workload_waits.deployment, _deployment("1", available=False, rolled_out=False), _NOT_AVAILABLE),
        (workload_waits.deployment, _deployment("1", available=True, rolled_out=False), _NO_REPLICAS),
        (workload_waits.deployment, _deployment("2", available=False, rolled_out=True), _NOT_AVAILABLE),
        (workload_waits.deployment, _deployment("2", available=True, rolled_out=False), _NO_REPLICAS),
        (
            workload_waits.deployment,
            _deployment("2", available=True, rolled_out=True),
            not_ready(workload_waits.ROLLOUT_STUCK),
        ),
        # Services without endpoints of their own.
        (readiness.service, _object({}, {"ports": []}), READY),
        (readiness.service, _object({}, {"selector": {"a": "b"}, "clusterIP": "None"}), READY),
        (readiness.service, _object({}, {"type": "ExternalName"}), READY),
        (readiness.service, _object({}, {"type": "LoadBalancer"}), not_ready(readiness.NO_ADDRESS)),
        (readiness.ingress, _object({}, {"rules": []}), not_ready(readiness.NO_INGRESS_ADDRESS)),
        (readiness.volume, _object({"phase": "Available"}), READY),
        (readiness.claim, _object({"phase": "Pending"}), not_ready("Kind is Pending")),
    ],
)
def test_a_kind_is_ready_or_says_what_is_missing(
    check: Callable[[Subject, dict[str, Any]], Readiness], live: dict[str, Any], found: Readiness
) -> None:
    cluster: Any = _Cluster()
    assert check(Subject(cluster), live) == found


_STATUS = {
    "metadata": {"generation": 2},
    "status": {
        "observedGeneration": 2,
        **_conditions(Ready={"status": "True"}, Degraded={"status": "False", "message": "fine"}),
    },
}
_STALE = {**_STATUS, "metadata": {"generation": 3}}


@pytest.mark.parametrize(
    ("text", "live", "found"),
    [
        ("condition=Ready", _STATUS, READY),
        ("condition=ready=true", _STATUS, READY),
        ("condition=Degraded=False", _STATUS, READY),
        ("condition=Absent", _STATUS, not_ready()),
        # Without the controller's message, and not as an error.
        (
            "condition=Degraded",
            _STATUS,
            not_ready(status="Resource has condition Degraded=False (want True)"),
        ),
        ("condition=Ready", _STALE, not_ready(status="Generation 2 is less than expected 3")),
        ("condition=Ready", {"metadata": {}}, not_ready(status="Has no .status.conditions")),
        # A condition's own observation wins over the object's.
        (
            "condition=Ready",
            {**_STALE, "status": _conditions(Ready={"status": "True", "observedGeneration": 3})},
            READY,
        ),
    ],
)
def test_an_awaited_condition_holds_or_does_not(text: str, live: dict[str, Any], found: Readiness) -> None:
    name, status = awaited_condition({"metadata": {"annotations": {"pulumi.com/waitFor": text}}})
    assert readiness.has_condition(live, name, status) == found


@pytest.mark.parametrize("text", ["Ready", "condition=", "jsonpath={.a}=b"])
def test_an_annotation_that_the_stand_in_cannot_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not condition=Type\[=Status\]; this stand-in serves no other"):
        awaited_condition({"metadata": {"annotations": {"pulumi.com/waitFor": text}}})
