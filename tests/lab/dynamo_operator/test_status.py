"""What the operator reports about a component deployment and about a graph."""

from typing import Any

import pytest

from lab.dynamo_operator.status import Outcome, component_status, graph_status
from tests.lab.dynamo_operator.built import read
from tests.lab.fixtures.graphs import toy_graph

NOW = "2026-01-01T00:00:00Z"
NOT_READY = "Component deployment not ready - Available condition not true"
ROLLING = {"startTime": NOW, "phase": "InProgress"}


def workload(replicas: int, ready: int) -> dict[str, Any]:
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
        "status": {"observedGeneration": 1, "conditions": [available]} | counts,
    }


def part(name: str, replicas: int, ready: int, *, suffix: str = "", observed: int = 1) -> dict[str, Any]:
    """A component deployment that has looked at its Deployment."""
    owner = {"metadata": {"name": f"toy-{name.lower()}{suffix}", "generation": 1}, "spec": {"name": name}}
    status = component_status(owner, workload(replicas, ready), NOW)
    status["component"]["componentNames"] = [owner["metadata"]["name"]]
    return owner | {"status": status | {"observedGeneration": observed}}


def status(outcome: Outcome) -> dict[str, Any]:
    return graph_status(read(toy_graph()), outcome, NOW)


def ready(report: dict[str, Any]) -> tuple[str, str, str]:
    (condition,) = report["conditions"]
    return condition["status"], condition["reason"], condition["message"]


def test_the_message_names_each_component_deployment_that_is_not_ready() -> None:
    parts = [part("Frontend", 1, 1, observed=0), part("Prefill", 1, 0), part("Decode", 2, 1), part("X", 1, 1)]
    report = status(Outcome(parts))
    behind = "toy-frontend: spec not yet processed: generation=1, observedGeneration=0"
    expected = f"Resources not ready: toy-decode: {NOT_READY}; {behind}; toy-prefill: {NOT_READY}"
    assert ready(report) == ("False", "some_resources_are_not_ready", expected)
    assert (report["state"], report["observedGeneration"]) == ("pending", 1)


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
