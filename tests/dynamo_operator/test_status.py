"""What the operator reports about a graph."""

from __future__ import annotations

from typing import Any

import pytest

from lab.dynamo_operator.status import Outcome, Override, ServiceState, graph_status
from tests.lab_fixtures.graphs import toy_graph

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
PLAIN = Override()


def deployment(
    name: str, replicas: int, ready: int, *, observed: int = 1, worker_hash: str = ""
) -> dict[str, Any]:
    labels = {"nvidia.com/dynamo-worker-hash": worker_hash} if worker_hash else {}
    counts = {
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": ready,
        "availableReplicas": ready,
    }
    return {
        "metadata": {"name": name, "generation": 1, "labels": labels},
        "spec": {"replicas": replicas},
        "status": {"observedGeneration": observed} | counts,
    }


def state(name: str, desired: int, ready: int, **options: Any) -> ServiceState:
    return ServiceState(name, desired, [deployment(f"toy-{name.lower()}", desired, ready, **options)])


def status(
    *services: ServiceState, override: Override = PLAIN, old: dict[str, Any] | None = None, now: str = NOW
) -> Any:
    graph = toy_graph() | ({"status": old} if old else {})
    return graph_status(graph, Outcome(list(services)), override, now)


def ready(report: dict[str, Any]) -> tuple[str, str, str]:
    (condition,) = report["conditions"]
    return condition["status"], condition["reason"], condition["message"]


def test_a_graph_is_ready_when_every_service_is() -> None:
    report = status(state("Frontend", 1, 1), state("Decode", 2, 2))
    assert ready(report) == ("True", "all_resources_are_ready", "All resources are ready")
    assert report["state"] == "successful"
    assert report["observedGeneration"] == 1


def test_the_message_names_each_service_that_is_not_ready_and_its_counts() -> None:
    report = status(state("Frontend", 1, 1), state("Decode", 2, 1), state("Prefill", 1, 0))
    assert ready(report) == (
        "False",
        "some_resources_are_not_ready",
        "Resources not ready: Decode: deployment/toy-decode: desired=2, ready=1;"
        " Prefill: deployment/toy-prefill: desired=1, ready=0",
    )
    assert report["state"] == "pending"


def test_a_deployment_that_its_controller_has_not_seen_yet_is_not_ready() -> None:
    assert ready(status(state("Decode", 1, 1, observed=0)))[0] == "False"


def test_a_service_scaled_to_zero_is_ready() -> None:
    assert ready(status(state("Decode", 0, 0)))[0] == "True"


def test_counts_are_reported_for_each_service() -> None:
    assert status(state("Decode", 2, 1))["services"]["Decode"] == {
        "componentKind": "Deployment",
        "componentName": "toy-decode",
        "componentNames": ["toy-decode"],
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 1,
        "availableReplicas": 1,
    }


def test_a_failure_is_reported_in_its_own_words() -> None:
    report = graph_status(toy_graph(), Outcome(failure="no such thing"), PLAIN, NOW)
    assert ready(report) == ("False", "failed_to_reconcile_the_resources", "no such thing")
    assert report["state"] == "failed"


def test_nothing_changes_while_nothing_changes() -> None:
    services = (state("Frontend", 1, 1), state("Decode", 2, 1))
    first = status(*services)
    assert status(*services, old=first, now=LATER) == first


def test_the_transition_time_changes_with_the_status_only() -> None:
    waiting = status(state("Decode", 2, 0))
    nearer = status(state("Decode", 2, 1), old=waiting, now=LATER)
    done = status(state("Decode", 2, 2), old=nearer, now=LATER)
    times = [report["conditions"][0]["lastTransitionTime"] for report in (waiting, nearer, done)]
    assert times == [NOW, NOW, LATER]


@pytest.mark.parametrize(
    ("override", "ready_pods", "expected"),
    [(Override(never_ready=True), 1, "False"), (Override(ready_too_early=True), 0, "True")],
)
def test_switches_turn_the_condition_around(override: Override, ready_pods: int, expected: str) -> None:
    assert ready(status(state("Decode", 1, ready_pods), override=override))[0] == expected


ROLLING = {"startTime": NOW, "phase": "InProgress"}


def test_a_graph_is_not_ready_during_a_rolling_update_whatever_its_pods_are() -> None:
    outcome = Outcome([state("Decode", 1, 1, worker_hash="new")], rolling_update=ROLLING)
    report = graph_status(toy_graph(), outcome, PLAIN, NOW)
    assert ready(report) == ("False", "rolling_update_in_progress", "Rolling update in progress")
    assert (report["state"], report["rollingUpdate"]) == ("pending", ROLLING)


def test_a_graph_whose_rolling_update_is_over_is_as_ready_as_its_pods() -> None:
    over = ROLLING | {"phase": "Completed"}
    for pods, status in ((1, "True"), (0, "False")):
        outcome = Outcome([state("Decode", 1, pods, worker_hash="new")], rolling_update=over)
        report = graph_status(toy_graph(), outcome, PLAIN, NOW)
        assert (ready(report)[0], report["rollingUpdate"]) == (status, over)


def test_counts_of_all_generations_are_added_up_during_a_rolling_update() -> None:
    generations = [
        deployment("toy-decode-new", 1, 0, worker_hash="new"),
        deployment("toy-decode-old", 1, 1, worker_hash="old"),
    ]
    outcome = Outcome([ServiceState("Decode", 1, generations)], rolling_update=ROLLING)
    counts = graph_status(toy_graph(), outcome, PLAIN, NOW)["services"]["Decode"]
    assert counts["componentNames"] == ["toy-decode-new", "toy-decode-old"]
    assert (counts["replicas"], counts["updatedReplicas"], counts["readyReplicas"]) == (2, 1, 1)


def test_a_failure_forgets_no_rolling_update() -> None:
    graph = toy_graph() | {"status": {"rollingUpdate": ROLLING}}
    report = graph_status(graph, Outcome(failure="no such thing"), PLAIN, NOW)
    assert report["rollingUpdate"] == ROLLING
    assert ready(report)[1] == "failed_to_reconcile_the_resources"
