"""What the operator reports about a component deployment and about a graph."""

from __future__ import annotations

from typing import Any

import pytest

from lab.dynamo_operator.status import Outcome, component_status, graph_status
from tests.lab.dynamo_operator.built import read
from tests.lab.fixtures.graphs import toy_graph

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
NOT_READY = "Component deployment not ready - Available condition not true"
ROLLING = {"startTime": NOW, "phase": "InProgress"}


def workload(replicas: int, ready: int, *, observed: int = 1) -> dict[str, Any]:
    counts = {
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": ready,
        "availableReplicas": ready,
    }
    available = {"type": "Available", "status": "True" if ready >= replicas else "False"}
    return {
        "metadata": {"name": "toy-decode", "generation": 1},
        "spec": {"replicas": replicas},
        "status": {"observedGeneration": observed, "conditions": [available]} | counts,
    }


def part(name: str, replicas: int, ready: int, *, suffix: str = "", observed: int = 1) -> dict[str, Any]:
    """A component deployment that has looked at its Deployment."""
    owner = {"metadata": {"name": f"toy-{name.lower()}{suffix}", "generation": 1}, "spec": {"name": name}}
    status = component_status(owner, workload(replicas, ready), NOW)
    status["component"]["componentNames"] = [owner["metadata"]["name"]]
    return owner | {"status": status | {"observedGeneration": observed}}


def status(outcome: Outcome, old: dict[str, Any] | None = None, now: str = NOW) -> dict[str, Any]:
    return graph_status(read(toy_graph()) | ({"status": old} if old else {}), outcome, now)


def ready(report: dict[str, Any]) -> tuple[str, str, str]:
    (condition,) = report["conditions"]
    return condition["status"], condition["reason"], condition["message"]


@pytest.mark.parametrize(
    ("deployment", "expected"),
    [
        (None, ("Unknown", "Reconciling")),
        (workload(2, 1), ("False", "DeploymentNotReady")),
        (workload(2, 2), ("True", "DeploymentReady")),
        (workload(0, 0), ("True", "DeploymentReady")),
        (workload(1, 1, observed=0), ("False", "DeploymentNotReady")),
    ],
)
def test_a_component_is_available_when_every_pod_is(
    deployment: dict[str, Any] | None, expected: tuple[str, str]
) -> None:
    owner = {"metadata": {"name": "toy-decode", "generation": 1}}
    available, _ = component_status(owner, deployment, NOW)["conditions"]
    assert (available["status"], available["reason"]) == expected


def test_the_message_names_each_component_deployment_that_is_not_ready() -> None:
    parts = [part("Frontend", 1, 1, observed=0), part("Prefill", 1, 0), part("Decode", 2, 1), part("X", 1, 1)]
    report = status(Outcome(parts))
    behind = "toy-frontend: spec not yet processed: generation=1, observedGeneration=0"
    expected = f"Resources not ready: toy-decode: {NOT_READY}; {behind}; toy-prefill: {NOT_READY}"
    assert ready(report) == ("False", "some_resources_are_not_ready", expected)
    assert (report["state"], report["observedGeneration"]) == ("pending", 1)


def test_a_switch_keeps_a_graph_from_being_ready() -> None:
    assert ready(status(Outcome([part("Decode", 1, 1)])))[0] == "True"
    assert ready(status(Outcome([part("Decode", 1, 1)], never_ready=True)))[0] == "False"


def test_a_failure_is_reported_in_its_own_words_and_its_generation_is_not_observed() -> None:
    report = status(Outcome(failure="no such thing"), {"rollingUpdate": ROLLING})
    assert ready(report) == ("False", "failed_to_reconcile_the_resources", "no such thing")
    assert (report["state"], report["rollingUpdate"]) == ("failed", ROLLING)
    assert "observedGeneration" not in report


@pytest.mark.parametrize(
    ("phase", "pods", "expected"),
    [
        ("InProgress", 1, ("False", "rolling_update_in_progress", "Rolling update in progress")),
        ("Completed", 1, ("True", "all_resources_are_ready", "All resources are ready")),
        (
            "Completed",
            0,
            ("False", "some_resources_are_not_ready", f"Resources not ready: toy-decode: {NOT_READY}"),
        ),
    ],
)
def test_a_graph_is_not_ready_while_its_workers_roll(
    phase: str, pods: int, expected: tuple[str, str, str]
) -> None:
    rolling = ROLLING | {"phase": phase}
    report = status(Outcome([part("Decode", 1, pods)], rolling_update=rolling))
    assert ready(report) == expected
    assert report["rollingUpdate"] == rolling


def test_counts_of_all_generations_are_added_up_during_a_rolling_update() -> None:
    new, old = part("Decode", 1, 0, suffix="-new"), part("Decode", 1, 1, suffix="-old")
    report = status(Outcome([new], [old], rolling_update=ROLLING))
    assert report["components"]["Decode"] == {
        "componentKind": "Deployment",
        "componentNames": ["toy-decode-new", "toy-decode-old"],
        "replicas": 2,
        "updatedReplicas": 1,
        "readyReplicas": 1,
        "availableReplicas": 1,
    }
