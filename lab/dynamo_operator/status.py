"""What the operator reports about a component deployment, and about a graph from all of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lab.controller.objects import dated
from lab.dynamo_operator.rolling_update import is_active

if TYPE_CHECKING:
    from lab.controller.api import Manifest

_COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")


@dataclass(frozen=True)
class Outcome:
    """What one reconciliation of a graph found, or why it gave up."""

    deployments: list[Manifest] = field(default_factory=list)
    """The component deployments that the graph asks for now."""
    old: list[Manifest] = field(default_factory=list)
    """Workers of other generations, while an update runs."""
    failure: str = ""
    rolling_update: Manifest | None = None
    """The new status.rollingUpdate; None where there never was an update."""
    never_ready: bool = False
    """A test switched it on: no component deployment is ready, whatever its pods are."""


def component_status(owner: Manifest, deployment: Manifest | None, now: str) -> Manifest:
    """The new status of a component deployment: not looked at yet, ready or not."""
    old: Manifest = owner.get("status") or {}
    if deployment is None:
        waiting = ("Unknown", "Reconciling", "Starting to reconcile DynamoComponentDeployment")
        conditions = [_condition(kind, *waiting) for kind in ("Available", "DynamoComponentReady")]
        return old | {"conditions": [dated(each, old, now) for each in conditions]}
    is_ready = _is_ready(deployment)
    status, ready, word = ("True", "Ready", "is ready") if is_ready else ("False", "NotReady", "is not ready")
    conditions = [
        _condition("Available", status, f"Deployment{ready}", f"Deployment {word}"),
        _condition("DynamoComponentReady", status, f"Component{ready}", f"DynamoComponent {word}"),
    ]
    counts: Manifest = {key: (deployment.get("status") or {}).get(key, 0) for key in _COUNTS}
    names = {"componentKind": "Deployment", "componentNames": [deployment["metadata"]["name"]]}
    return {
        "component": names | counts,
        "conditions": [dated(each, old, now) for each in conditions],
        "observedGeneration": owner["metadata"]["generation"],
    }


def graph_status(graph: Manifest, outcome: Outcome, now: str) -> Manifest:
    """The new status; equal to the old one when nothing has changed, so that nothing needs to be written."""
    old: Manifest = graph.get("status") or {}
    status, reason, message, state = _verdict(outcome)
    condition = _condition("Ready", status, reason, message)
    result: Manifest = {"state": state, "conditions": [dated(condition, old, now)]}
    # A generation that could not be brought about has not been observed.
    observed = old.get("observedGeneration") if outcome.failure else graph["metadata"]["generation"]
    if observed is not None:
        result["observedGeneration"] = observed
    counts = _counts_by_component(outcome)
    if counts:
        result["components"] = counts
    # What failed may have failed before anything was decided about generations.
    rolling = old.get("rollingUpdate") if outcome.failure else outcome.rolling_update
    if rolling:
        result["rollingUpdate"] = {key: value for key, value in rolling.items() if value}
    return result


def _verdict(outcome: Outcome) -> tuple[str, str, str, str]:
    """Status, reason and message of the condition Ready, and the graph's state."""
    if outcome.failure:
        return "False", "failed_to_reconcile_the_resources", outcome.failure, "failed"
    if is_active(outcome.rolling_update):
        return "False", "rolling_update_in_progress", "Rolling update in progress", "pending"
    missing = {
        each["metadata"]["name"]: why
        for each in outcome.deployments
        if (why := _why_not_ready(each, never=outcome.never_ready))
    }
    if not missing:
        return "True", "all_resources_are_ready", "All resources are ready", "successful"
    parts = "; ".join(f"{name}: {missing[name]}" for name in sorted(missing))
    return "False", "some_resources_are_not_ready", f"Resources not ready: {parts}", "pending"


def _why_not_ready(deployment: Manifest, *, never: bool) -> str:
    status: Manifest = deployment.get("status") or {}
    generation, observed = deployment["metadata"]["generation"], status.get("observedGeneration", 0)
    if observed < generation:
        return f"spec not yet processed: generation={generation}, observedGeneration={observed}"
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or []}
    if conditions.get("Available") == "True" and not never:
        return ""
    return "Component deployment not ready - Available condition not true"


def _counts_by_component(outcome: Outcome) -> Manifest:
    """The counts of the newest generation, with those of older ones added while an update runs."""
    result: Manifest = {}
    for each in outcome.deployments:
        if "component" in (each.get("status") or {}):
            result[each["spec"]["name"]] = each["status"]["component"]
    for each in outcome.old:
        name, counts = each["spec"]["name"], (each.get("status") or {}).get("component")
        if name in result and counts:
            new = result[name]
            added = {key: new.get(key, 0) + counts.get(key, 0) for key in _COUNTS if key != "updatedReplicas"}
            names = sorted([*counts["componentNames"], *new["componentNames"]])
            result[name] = new | added | {"componentNames": names}
    return result


def _is_ready(deployment: Manifest) -> bool:
    desired: int = deployment["spec"].get("replicas", 1)
    if desired == 0:
        return True
    status: Manifest = deployment.get("status") or {}
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or []}
    return (
        status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
        and status.get("updatedReplicas", 0) >= desired
        and status.get("availableReplicas", 0) >= desired
        and status.get("replicas", 0) == desired
        and conditions.get("Available") == "True"
    )


def _condition(kind: str, status: str, reason: str, message: str) -> Manifest:
    return {"type": kind, "status": status, "reason": reason, "message": message}
