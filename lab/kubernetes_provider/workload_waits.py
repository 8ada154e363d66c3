"""When pods and what makes them count as ready: one look at each kind's status.

That a pod cannot be scheduled is a line that passes while it is waited for, and no part of the error: the
vendor's checker calls it a status, and an error takes warnings alone (pulumi-kubernetes
provider/pkg/await/checker/pod/check.go, podScheduled, and provider/pkg/await/pod.go, errorMessages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider.waiting import READY, Readiness, Subject, not_ready

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster, Manifest

NOT_AVAILABLE = "Minimum number of live Pods was not attained"
REPLICA_SET_NOT_READY = "Minimum number of Pods to consider the application live was not attained"
ROLLOUT_STUCK = "Attempted to roll forward to new ReplicaSet, but minimum number of Pods did not become live"

_REVISION = "deployment.kubernetes.io/revision"
_FINAL_FAILURES = frozenset({"BackoffLimitExceeded", "DeadlineExceeded"})
_MOST_PODS_NAMED = 10
# kstatus Current: an updated, available and ready pod on every wanted node.
_DAEMON_SET_COUNTS = {
    "currentNumberScheduled": "Current",
    "updatedNumberScheduled": "Updated",
    "numberAvailable": "Available",
    "numberReady": "Ready",
}


def condition(live: Manifest, name: str) -> Manifest:
    """The condition of that type, empty when there is none."""
    conditions = (live.get("status") or {}).get("conditions") or []
    return next((found for found in conditions if found.get("type") == name), {})


def is_true(live: Manifest, name: str) -> bool:
    """Whether the condition says "True"."""
    return condition(live, name).get("status") == "True"


def deployment(subject: Subject, live: Manifest) -> Readiness:
    """The current revision's pods are ready and its volume claims bound."""
    if not _is_observed(live):
        return _unobserved(live, NOT_AVAILABLE)
    unmet, unbound = _rollout_problem(subject.cluster, live), _unbound_claims(subject.cluster, live)
    if unmet is None and not unbound:
        return READY
    conditions = (condition(live, name) for name in ("Progressing", "Available"))
    reasons = [_told(found) for found in conditions if found.get("status") == "False"]
    if unbound:
        reasons.append(f'Failed to bind PersistentVolumeClaim(s): "{",".join(unbound)}"')
    reasons += [unmet] if unmet else []
    return not_ready(*reasons, *_problems_of_pods(subject.cluster, live))


def stateful_set(subject: Subject, live: Manifest) -> Readiness:
    """As many replicas as asked for, all ready and all of the newest revision."""
    if not _is_observed(live):
        return _unobserved(live)
    wanted, status = live["spec"].get("replicas", 1), live["status"]
    replicas, ready = status.get("replicas") or 0, status.get("readyReplicas") or 0
    current = status.get("currentReplicas") or 0
    reasons: list[str] = []
    if not wanted == replicas == ready == current:
        reasons.append(f"{ready} out of {wanted} replicas succeeded readiness checks")
    old, new = status.get("currentRevision"), status.get("updateRevision")
    if old != new:
        reasons.append(f'StatefulSet controller failed to advance from revision "{old}" to revision "{new}"')
    return not_ready(*reasons, *_problems_of_pods(subject.cluster, live)) if reasons else READY


def daemon_set(_: Subject, live: Manifest) -> Readiness:
    """A pod on every wanted node."""
    if not _is_observed(live):
        return _unobserved(live)
    status = live["status"]
    if "desiredNumberScheduled" not in status:
        return not_ready(status="Missing .status.desiredNumberScheduled")
    desired = status["desiredNumberScheduled"]
    counts = {word: status.get(field) or 0 for field, word in _DAEMON_SET_COUNTS.items()}
    missing = (f"{word}: {count}/{desired}" for word, count in counts.items() if count < desired)
    said = next(missing, None)
    return not_ready(status=said) if said else READY


def job(subject: Subject, live: Manifest) -> Readiness:
    """Started and complete; a Job that has used up its tries or its time fails at once."""
    if is_complete(live):
        return READY
    failed = condition(live, "Failed")
    if failed.get("status") == "True":
        return not_ready(_told(failed), failed=failed.get("reason") in _FINAL_FAILURES)
    if not (live.get("status") or {}).get("startTime"):
        return not_ready(status="Waiting for the Job to start")
    labels = {"batch.kubernetes.io/job-name": live["metadata"]["name"]}
    return not_ready(
        *_problems_of_pods(subject.cluster, live, labels), status="Waiting for the Job to complete"
    )


def is_complete(live: Manifest) -> bool:
    """Whether a Job has run to its end."""
    return bool((live.get("status") or {}).get("startTime")) and is_true(live, "Complete")


def pod(_: Subject, live: Manifest) -> Readiness:
    """Ready, or run to its end."""
    if (live.get("status") or {}).get("phase") == "Succeeded" or is_true(live, "Ready"):
        return READY
    metadata = live["metadata"]
    waiting_for = f'Waiting for Pod "{metadata["namespace"]}/{metadata["name"]}" to be ready'
    return not_ready(*_pod_problems(live), status=waiting_for)


def _is_observed(live: Manifest) -> bool:
    """Whether the controller has seen the object's current generation."""
    observed = (live.get("status") or {}).get("observedGeneration") or 0
    return observed >= (live["metadata"].get("generation") or 0)


def _unobserved(live: Manifest, *reasons: str) -> Readiness:
    return not_ready(
        *reasons, status=f"Waiting for the {live.get('kind')}'s current generation to be observed"
    )


def _told(found: Manifest) -> str:
    return f"[{found.get('reason')}] {found.get('message')}"


def _rollout_problem(cluster: Cluster, live: Manifest) -> str | None:
    revision = (live["metadata"].get("annotations") or {}).get(_REVISION)
    is_first = revision == "1"
    if not is_true(live, "Available"):
        return NOT_AVAILABLE
    progressing = condition(live, "Progressing")
    rolled_out = progressing.get("status") == "True" and progressing["reason"] == "NewReplicaSetAvailable"
    if not is_first and not rolled_out:
        return REPLICA_SET_NOT_READY
    replica_set = _replica_set(cluster, live, revision)
    wanted = replica_set["spec"].get("replicas") or 0 if replica_set else 1
    ready = (replica_set.get("status") or {}).get("readyReplicas") or 0 if replica_set else 0
    if ready >= wanted:
        return None
    return REPLICA_SET_NOT_READY if is_first else ROLLOUT_STUCK


def _replica_set(cluster: Cluster, live: Manifest, revision: str | None) -> Manifest | None:
    for found in cluster.list("apps/v1", "ReplicaSet", live["metadata"]["namespace"]):
        owners = {owner["uid"] for owner in found["metadata"].get("ownerReferences") or []}
        of_revision = (found["metadata"].get("annotations") or {}).get(_REVISION) == revision
        if live["metadata"]["uid"] in owners and of_revision:
            return found
    return None


def _unbound_claims(cluster: Cluster, live: Manifest) -> list[str]:
    volumes = live["spec"]["template"]["spec"].get("volumes") or []
    names = [claim["claimName"] for volume in volumes if (claim := volume.get("persistentVolumeClaim"))]
    namespace = live["metadata"]["namespace"]
    claims = {name: cluster.find("v1", "PersistentVolumeClaim", namespace, name) for name in names}
    return [
        name for name, claim in claims.items() if ((claim or {}).get("status") or {}).get("phase") != "Bound"
    ]


def _problems_of_pods(cluster: Cluster, live: Manifest, labels: dict[str, str] | None = None) -> list[str]:
    """Why the workload's pods are not ready, each under its name."""
    namespace = live["metadata"]["namespace"]
    wanted = labels or live["spec"]["selector"].get("matchLabels") or {}
    if not wanted:
        return []
    selector = ",".join(f"{key}={value}" for key, value in wanted.items())
    found: list[str] = []
    for each in cluster.list("v1", "Pod", namespace, labelSelector=selector)[:_MOST_PODS_NAMED]:
        if not pod(Subject(cluster), each).ready:
            found += [f"[Pod {namespace}/{each['metadata']['name']}]: {said}" for said in _pod_problems(each)]
    return found


def _pod_problems(live: Manifest) -> list[str]:
    """Why a pod is not ready, in the kubelet's words; empty before a kubelet has it."""
    if condition(live, "PodScheduled").get("status") == "False":
        return []
    found: list[str] = []
    for container in (live.get("status") or {}).get("containerStatuses") or []:
        state = container.get("state") or {}
        why = state.get("waiting") or state.get("terminated") or {}
        if why.get("reason"):
            found.append(f"[{container['name']}] {why['reason']} {why.get('message', '')}".strip())
    message = condition(live, "Ready").get("message")
    return [*found, str(message)] if message else found
