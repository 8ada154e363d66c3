"""DaemonSet: kstatus Current, which is an updated, available and ready pod on every wanted node."""

from __future__ import annotations

from typing import Any

from lab.kubernetes_provider.conditions import is_observed
from lab.kubernetes_provider.waiting import CONDITION_TIMED_OUT, READY, Readiness, Wait, waiting

_COUNTS = {
    "currentNumberScheduled": "Current",
    "updatedNumberScheduled": "Updated",
    "numberAvailable": "Available",
    "numberReady": "Ready",
}


def check(live: dict[str, Any]) -> Readiness:
    """One look at the DaemonSet's status."""
    if not is_observed(live):
        return waiting("Waiting for the DaemonSet's current generation to be observed")
    status = live.get("status") or {}
    if "desiredNumberScheduled" not in status:
        return waiting("Missing .status.desiredNumberScheduled")
    desired = status["desiredNumberScheduled"]
    for field, word in _COUNTS.items():
        count = status.get(field) or 0
        if count < desired:
            return waiting(f"{word}: {count}/{desired}")
    return READY


WAIT = Wait(check=check, timed_out=CONDITION_TIMED_OUT)
