"""Job: started and complete; a Job that has used up its tries or its time fails at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import await_pod
from lab.kubernetes_provider.conditions import condition, is_true
from lab.kubernetes_provider.waiting import READY, Readiness, Wait, waiting

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster

_FINAL = frozenset({"BackoffLimitExceeded", "DeadlineExceeded"})


def wait(cluster: Cluster) -> Wait:
    """The wait of a create or update."""
    return Wait(check=lambda live: check(cluster, live))


def check(cluster: Cluster, live: dict[str, Any]) -> Readiness:
    """One look at the Job's status."""
    if is_complete(live):
        return READY
    failed = condition(live, "Failed")
    if failed.get("status") == "True":
        text = f"[{failed.get('reason')}] {failed.get('message')}"
        return Readiness(ready=False, reasons=(text,), failed=failed.get("reason") in _FINAL)
    if not (live.get("status") or {}).get("startTime"):
        return waiting("Waiting for the Job to start")
    labels = {"batch.kubernetes.io/job-name": live["metadata"]["name"]}
    pods = await_pod.problems_of(cluster, live["metadata"]["namespace"], labels)
    return waiting("Waiting for the Job to complete", *pods)


def is_complete(live: dict[str, Any]) -> bool:
    """Whether the Job has run to its end."""
    return bool((live.get("status") or {}).get("startTime")) and is_true(live, "Complete")
