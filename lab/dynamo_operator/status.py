"""What the operator reports about a graph, from what it sees of the Deployments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion import is_v1beta1
from lab.dynamo_operator.rolling_update import is_active

if TYPE_CHECKING:
    from lab.controller.api import Manifest

READY = "Ready"


@dataclass(frozen=True)
class ServiceState:
    """One service: its Deployments, newest generation first, as the API server has them."""

    name: str
    desired: int
    deployments: list[Manifest]

    @property
    def ready(self) -> bool:
        """Whether every wanted pod of the newest generation is ready and available."""
        deployment = self.deployments[0]
        status: Manifest = deployment.get("status") or {}
        observed = status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
        counts = (
            status.get(key, 0)
            for key in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        )
        return observed and all(count == self.desired for count in counts)

    @property
    def counts(self) -> Manifest:
        """The entry of status.services."""
        newest = self.deployments[0]
        return {
            "componentKind": "Deployment",
            "componentName": newest["metadata"]["name"],
            "componentNames": [deployment["metadata"]["name"] for deployment in self.deployments],
            "replicas": self.total("replicas"),
            "updatedReplicas": (newest.get("status") or {}).get("updatedReplicas", 0),
            "readyReplicas": self.total("readyReplicas"),
            "availableReplicas": self.total("availableReplicas"),
        }

    def total(self, key: str) -> int:
        """The sum of a count over all generations."""
        return sum((deployment.get("status") or {}).get(key, 0) for deployment in self.deployments)


@dataclass(frozen=True)
class Override:
    """Known pains that a test switches on."""

    never_ready: bool = False
    ready_too_early: bool = False


@dataclass(frozen=True)
class Outcome:
    """What one reconciliation found: the services, or why it gave up."""

    services: list[ServiceState] = field(default_factory=list)
    failure: str = ""
    rolling_update: Manifest | None = None
    """The new status.rollingUpdate; None where there never was an update."""


def graph_status(graph: Manifest, outcome: Outcome, override: Override, now: str) -> Manifest:
    """The new status; equal to the old one when nothing has changed, so that nothing needs to be written."""
    old: Manifest = graph.get("status") or {}
    status, reason, message, state = _verdict(outcome, override)
    generation = graph["metadata"]["generation"]
    condition = {
        "type": READY,
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": generation,
    }
    result: Manifest = {key: old[key] for key in ("restart", "checkpoints") if key in old}
    result |= {
        "state": state,
        "observedGeneration": generation,
        "conditions": [_with_transition_time(condition, old, now)],
    }
    if outcome.services:
        result["components" if is_v1beta1(graph) else "services"] = {
            service.name: _without_name(service.counts) if is_v1beta1(graph) else service.counts
            for service in outcome.services
            if service.deployments
        }
    # What failed may have failed before anything was decided about generations.
    rolling = old.get("rollingUpdate") if outcome.failure else outcome.rolling_update
    if rolling:
        result["rollingUpdate"] = rolling
    return result


def updated_key(graph: Manifest) -> str:
    """The key of status.rollingUpdate that lists who has moved on."""
    return "updatedComponents" if is_v1beta1(graph) else "updatedServices"


def _verdict(outcome: Outcome, override: Override) -> tuple[str, str, str, str]:
    """Status, reason and message of the condition Ready, and the graph's state."""
    if outcome.failure:
        return "False", "failed_to_reconcile_the_resources", outcome.failure, "failed"
    if is_active(outcome.rolling_update) and not override.ready_too_early:
        return "False", "rolling_update_in_progress", "Rolling update in progress", "pending"
    missing = [service for service in outcome.services if override.never_ready or not service.ready]
    if override.ready_too_early or not missing:
        return "True", "all_resources_are_ready", "All resources are ready", "successful"
    parts = "; ".join(
        f"{service.name}: deployment/{service.deployments[0]['metadata']['name']}: "
        f"desired={service.desired}, ready={0 if override.never_ready else service.total('readyReplicas')}"
        for service in missing
    )
    return "False", "some_resources_are_not_ready", f"Resources not ready: {parts}", "pending"


def _with_transition_time(condition: Manifest, old: Manifest, now: str) -> Manifest:
    """The time changes only with the status, as Kubernetes' conditions have it."""
    for known in old.get("conditions") or []:
        if known["type"] == condition["type"] and known["status"] == condition["status"]:
            return condition | {"lastTransitionTime": known["lastTransitionTime"]}
    return condition | {"lastTransitionTime": now}


def _without_name(counts: Manifest) -> Manifest:
    """v1beta1 has no componentName beside the list of names."""
    return {key: value for key, value in counts.items() if key != "componentName"}
