"""What the operator reports about a component deployment and about a graph."""

from __future__ import annotations

from typing import Any

import pytest

from lab.dynamo_operator.status import Outcome, Override, component_status, graph_status
from tests.lab.dynamo_operator.built import read
from tests.lab.fixtures.graphs import toy_graph

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
PLAIN = Override()


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
    status = component_status(owner, workload(replicas, ready), "", NOW)
    status["component"]["componentNames"] = [owner["metadata"]["name"]]
    return owner | {"status": status | {"observedGeneration": observed}}


def status(
    *parts: dict[str, Any], override: Override = PLAIN, old: dict[str, Any] | None = None, now: str = NOW
) -> Any:
    graph = read(toy_graph()) | ({"status": old} if old else {})
    return graph_status(graph, Outcome(list(parts)), override, now)


def ready(report: dict[str, Any]) -> tuple[str, str, str]:
    (condition,) = report["conditions"]
    return condition["status"], condition["reason"], condition["message"]


def available(report: dict[str, Any]) -> tuple[str, str]:
    first, _ = report["conditions"]
    return first["status"], first["reason"]


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
    assert available(component_status(owner, deployment, "", NOW)) == expected


def test_a_graph_is_ready_when_every_component_is() -> None:
    report = status(part("Frontend", 1, 1), part("Decode", 2, 2))
    assert ready(report) == ("True", "all_resources_are_ready", "All resources are ready")
    assert (report["state"], report["observedGeneration"]) == ("successful", 1)


def test_the_message_names_each_component_deployment_that_is_not_ready() -> None:
    report = status(part("Frontend", 1, 1), part("Prefill", 1, 0), part("Decode", 2, 1))
    why = "Component deployment not ready - Available condition not true"
    expected = f"Resources not ready: toy-decode: {why}; toy-prefill: {why}"
    assert ready(report) == ("False", "some_resources_are_not_ready", expected)
    assert report["state"] == "pending"


def test_a_component_deployment_that_nobody_has_looked_at_yet_is_not_ready() -> None:
    report = status(part("Decode", 1, 1, observed=0))
    assert ready(report)[2].endswith("toy-decode: spec not yet processed: generation=1, observedGeneration=0")


def test_counts_are_reported_for_each_component() -> None:
    assert status(part("Decode", 2, 1))["components"]["Decode"] == {
        "componentKind": "Deployment",
        "componentNames": ["toy-decode"],
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 1,
        "availableReplicas": 1,
    }


def test_a_failure_is_reported_in_its_own_words_and_its_generation_is_not_observed() -> None:
    report = graph_status(read(toy_graph()), Outcome(failure="no such thing"), PLAIN, NOW)
    assert ready(report) == ("False", "failed_to_reconcile_the_resources", "no such thing")
    assert report["state"] == "failed"
    assert "observedGeneration" not in report


def test_nothing_changes_while_nothing_changes() -> None:
    parts = (part("Frontend", 1, 1), part("Decode", 2, 1))
    first = status(*parts)
    assert status(*parts, old=first, now=LATER) == first


def test_the_transition_time_changes_with_the_status_only() -> None:
    waiting = status(part("Decode", 2, 0))
    nearer = status(part("Decode", 2, 1), old=waiting, now=LATER)
    done = status(part("Decode", 2, 2), old=nearer, now=LATER)
    times = [report["conditions"][0]["lastTransitionTime"] for report in (waiting, nearer, done)]
    assert times == [NOW, NOW, LATER]


@pytest.mark.parametrize(
    ("override", "ready_pods", "expected"),
    [
        (Override(never_ready=True), 1, "False"),
        (Override(ready_too_early=True), 0, "True"),
        (Override(write_conflict=True), 1, "False"),
    ],
)
def test_switches_turn_the_condition_around(override: Override, ready_pods: int, expected: str) -> None:
    assert ready(status(part("Decode", 1, ready_pods), override=override))[0] == expected


ROLLING = {"startTime": NOW, "phase": "InProgress"}


def test_a_graph_is_not_ready_during_a_rolling_update_whatever_its_pods_are() -> None:
    outcome = Outcome([part("Decode", 1, 1)], rolling_update=ROLLING)
    report = graph_status(read(toy_graph()), outcome, PLAIN, NOW)
    assert ready(report) == ("False", "rolling_update_in_progress", "Rolling update in progress")
    assert (report["state"], report["rollingUpdate"]) == ("pending", ROLLING)


def test_a_graph_whose_rolling_update_is_over_is_as_ready_as_its_pods() -> None:
    over = ROLLING | {"phase": "Completed"}
    for pods, expected in ((1, "True"), (0, "False")):
        outcome = Outcome([part("Decode", 1, pods)], rolling_update=over)
        report = graph_status(read(toy_graph()), outcome, PLAIN, NOW)
        assert (ready(report)[0], report["rollingUpdate"]) == (expected, over)


def test_counts_of_all_generations_are_added_up_during_a_rolling_update() -> None:
    outcome = Outcome(
        [part("Decode", 1, 0, suffix="-new")],
        [part("Decode", 1, 1, suffix="-old")],
        rolling_update=ROLLING,
    )
    counts = graph_status(read(toy_graph()), outcome, PLAIN, NOW)["components"]["Decode"]
    assert counts["componentNames"] == ["toy-decode-new", "toy-decode-old"]
    assert (counts["replicas"], counts["updatedReplicas"], counts["readyReplicas"]) == (2, 1, 1)


def test_a_failure_forgets_no_rolling_update() -> None:
    graph = read(toy_graph()) | {"status": {"rollingUpdate": ROLLING}}
    report = graph_status(graph, Outcome(failure="no such thing"), PLAIN, NOW)
    assert report["rollingUpdate"] == ROLLING
    assert ready(report)[1] == "failed_to_reconcile_the_resources"
