"""Deployment: the current revision's pods are ready and its volume claims bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import await_pod
from lab.kubernetes_provider.conditions import condition, is_observed, is_true
from lab.kubernetes_provider.waiting import READY, Readiness, Wait, not_ready, waiting

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster

_REVISION = "deployment.kubernetes.io/revision"

NOT_AVAILABLE = "Minimum number of live Pods was not attained"
REPLICA_SET_NOT_READY = "Minimum number of Pods to consider the application live was not attained"
ROLLOUT_STUCK = "Attempted to roll forward to new ReplicaSet, but minimum number of Pods did not become live"


def wait(cluster: Cluster) -> Wait:
    """The wait of a create or update."""
    return Wait(check=lambda live: check(cluster, live))


def check(cluster: Cluster, live: dict[str, Any]) -> Readiness:
    """One look at the Deployment, its current ReplicaSet and its claims."""
    if not is_observed(live):
        return waiting("Waiting for the Deployment's current generation to be observed", NOT_AVAILABLE)
    namespace = live["metadata"]["namespace"]
    revision = (live["metadata"].get("annotations") or {}).get(_REVISION)
    unmet = _rollout_problem(cluster, live, namespace, revision)
    unbound = _unbound_claims(cluster, live, namespace)
    if unmet is None and not unbound:
        return READY
    # Progressing and Available, where they are false.
    reasons = [
        f"[{found.get('reason')}] {found.get('message')}"
        for name in ("Progressing", "Available")
        if (found := condition(live, name)).get("status") == "False"
    ]
    if unbound:
        reasons.append(f'Failed to bind PersistentVolumeClaim(s): "{",".join(unbound)}"')
    reasons += [unmet] if unmet else []
    labels = live["spec"]["selector"].get("matchLabels") or {}
    return not_ready(*reasons, *await_pod.problems_of(cluster, namespace, labels))


def _rollout_problem(
    cluster: Cluster, live: dict[str, Any], namespace: str, revision: str | None
) -> str | None:
    is_first = revision == "1"
    if not is_true(live, "Available"):
        return NOT_AVAILABLE
    rolled_out = (
        is_true(live, "Progressing") and condition(live, "Progressing")["reason"] == "NewReplicaSetAvailable"
    )
    if not is_first and not rolled_out:
        return REPLICA_SET_NOT_READY
    replica_set = _current_replica_set(cluster, live, namespace, revision)
    wanted = replica_set["spec"].get("replicas") or 0 if replica_set else 1
    ready = (replica_set.get("status") or {}).get("readyReplicas") or 0 if replica_set else 0
    if ready >= wanted:
        return None
    return REPLICA_SET_NOT_READY if is_first else ROLLOUT_STUCK


def _current_replica_set(
    cluster: Cluster, live: dict[str, Any], namespace: str, revision: str | None
) -> dict[str, Any] | None:
    for found in cluster.list("apps/v1", "ReplicaSet", namespace):
        owned = any(
            owner["uid"] == live["metadata"]["uid"]
            for owner in found["metadata"].get("ownerReferences") or []
        )
        if owned and (found["metadata"].get("annotations") or {}).get(_REVISION) == revision:
            return found
    return None


def _unbound_claims(cluster: Cluster, live: dict[str, Any], namespace: str) -> list[str]:
    volumes = live["spec"]["template"]["spec"].get("volumes") or []
    names = [claim["claimName"] for volume in volumes if (claim := volume.get("persistentVolumeClaim"))]
    return [
        name for name in names if not _is_bound(cluster.find("v1", "PersistentVolumeClaim", namespace, name))
    ]


def _is_bound(claim: dict[str, Any] | None) -> bool:
    return claim is not None and (claim.get("status") or {}).get("phase") == "Bound"
