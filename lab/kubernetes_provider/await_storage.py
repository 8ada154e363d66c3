"""Claims, volumes, quotas and token Secrets: short waits by fixed timers that nothing can change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider.waiting import READY, Readiness, Wait, not_ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubernetes_provider.cluster import Cluster

# So that a rehearsal of a claim without a volume does not take five minutes.
SHORTER_VOLUME_WAIT = "LAB_VOLUME_WAIT_SECONDS"

_VOLUME_SECONDS = float(os.environ.get(SHORTER_VOLUME_WAIT) or 300.0)
_QUOTA_SECONDS = 60.0
_SECRET_SECONDS = 5.0


def _fixed(check: Callable[[dict[str, Any]], Readiness], seconds: float) -> Wait:
    return Wait(check=check, timed_out="Timeout occurred polling for '{name}'", fixed_seconds=seconds)


def wait_for_claim(cluster: Cluster, *, is_update: bool) -> Wait:
    """A claim is Bound; one that waits for its first consumer is Pending."""

    def check(live: dict[str, Any]) -> Readiness:
        phase = (live.get("status") or {}).get("phase")
        if _waits_for_consumer(cluster, live):
            # On a create exactly Pending counts: nothing can have used the claim yet.
            wanted = {"Pending", "Bound"} if is_update else {"Pending"}
        else:
            wanted = {"Bound"}
        return READY if phase in wanted else not_ready(f"PersistentVolumeClaim is {phase}")

    return _fixed(check, _VOLUME_SECONDS)


def _waits_for_consumer(cluster: Cluster, claim: dict[str, Any]) -> bool:
    name = claim["spec"].get("storageClassName")
    if not name:
        return False
    storage_class = cluster.find("storage.k8s.io/v1", "StorageClass", None, name)
    return storage_class is not None and storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"


def _volume(live: dict[str, Any]) -> Readiness:
    phase = (live.get("status") or {}).get("phase")
    return READY if phase in ("Available", "Bound") else not_ready(f"PersistentVolume is {phase}")


def _quota(live: dict[str, Any]) -> Readiness:
    if (live.get("status") or {}).get("hard") == live["spec"].get("hard"):
        return READY
    return not_ready("ResourceQuota has not been accounted for")


def _token_secret(live: dict[str, Any]) -> Readiness:
    if live.get("type") != "kubernetes.io/service-account-token" or live.get("data"):
        return READY
    return not_ready("Secret has no token yet")


VOLUME = _fixed(_volume, _VOLUME_SECONDS)
QUOTA = _fixed(_quota, _QUOTA_SECONDS)
TOKEN_SECRET = _fixed(_token_secret, _SECRET_SECONDS)
