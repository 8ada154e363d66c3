"""Reading `.status.conditions`, and the readiness that any well-behaved kind shows by them."""

from __future__ import annotations

from typing import Any

from lab.kubernetes_provider.waiting import READY, Readiness, waiting


def condition(live: dict[str, Any], name: str) -> dict[str, Any]:
    """The condition of that type, empty when there is none."""
    for found in (live.get("status") or {}).get("conditions") or []:
        if found.get("type") == name:
            return found
    return {}


def is_true(live: dict[str, Any], name: str) -> bool:
    """Whether the condition says "True"."""
    return condition(live, name).get("status") == "True"


def is_observed(live: dict[str, Any]) -> bool:
    """Whether the controller has seen the object's current generation."""
    return ((live.get("status") or {}).get("observedGeneration") or 0) >= (
        live["metadata"].get("generation") or 0
    )


def generic_readiness(live: dict[str, Any]) -> Readiness:
    """kstatus: nothing reconciling or stalled, and Ready, where the object says so, is true.

    Source: sigs.k8s.io/cli-utils pkg/kstatus.
    """
    status = live.get("status") or {}
    if "observedGeneration" in status and not is_observed(live):
        return waiting("Waiting for the current generation to be observed")
    if is_true(live, "Stalled"):
        message = str(condition(live, "Stalled").get("message", "Stalled"))
        return Readiness(ready=False, reasons=(message,), failed=True)
    if is_true(live, "Reconciling"):
        return waiting(str(condition(live, "Reconciling").get("message", "Reconciling")))
    ready = condition(live, "Ready")
    if ready and ready.get("status") != "True":
        return waiting(str(ready.get("message") or "Resource is not ready"))
    return READY
