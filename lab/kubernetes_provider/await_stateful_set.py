"""StatefulSet: as many replicas as asked for, all ready and all of the newest revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import await_pod
from lab.kubernetes_provider.conditions import is_observed
from lab.kubernetes_provider.waiting import READY, Readiness, Wait, not_ready, waiting

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster


def wait(cluster: Cluster, *, is_update: bool) -> Wait:
    """The wait of a create or update."""
    return Wait(check=lambda live: check(cluster, live, is_update=is_update))


def check(cluster: Cluster, live: dict[str, Any], *, is_update: bool) -> Readiness:
    """One look at the StatefulSet's status."""
    if not is_observed(live):
        return waiting("Waiting for the StatefulSet's current generation to be observed")
    wanted = live["spec"].get("replicas", 1)
    status = live.get("status") or {}
    replicas, ready = status.get("replicas") or 0, status.get("readyReplicas") or 0
    # Updated by hand, pod by pod: neither the revision nor the count of current pods says anything.
    by_hand = is_update and (live["spec"].get("updateStrategy") or {}).get("type") == "OnDelete"
    current = wanted if by_hand else status.get("currentReplicas") or 0
    reasons: list[str] = []
    if not wanted == replicas == ready == current:
        reasons.append(f"{ready} out of {wanted} replicas succeeded readiness checks")
    old, new = status.get("currentRevision"), status.get("updateRevision")
    if not by_hand and old != new:
        reasons.append(f'StatefulSet controller failed to advance from revision "{old}" to revision "{new}"')
    if not reasons:
        return READY
    labels = live["spec"]["selector"].get("matchLabels") or {}
    return not_ready(*reasons, *await_pod.problems_of(cluster, live["metadata"]["namespace"], labels))
