"""A pod's status, from what became of its containers."""

from __future__ import annotations

import pytest

from lab.kubelet.status import ContainerState, State, phase, pod_status, running, terminated, waiting
from tests.lab.kubelet.pods import container, pod

LONG_AGO = "2026-01-01T00:00:00Z"


def state(value: State, **fields: bool | int) -> ContainerState:
    return ContainerState("main", "image", value, **fields)  # type: ignore[arg-type]


def conditions(which: dict[str, object], *containers: ContainerState) -> dict[str, dict[str, str]]:
    status = pod_status(which, "10.70.128.9", [], containers)
    return {each["type"]: each for each in status["conditions"]}


def test_a_pod_is_ready_when_every_container_is() -> None:
    ready, other = state(running(LONG_AGO), is_ready=True), state(running(LONG_AGO))
    assert conditions(pod(), ready)["Ready"]["status"] == "True"
    said = conditions(pod(), ready, other)["Ready"]
    assert said["status"] == "False"
    assert said["message"] == "containers with unready status: [main]"


@pytest.mark.parametrize(
    ("policy", "value", "expected"),
    [
        ("Always", waiting("ContainerCreating"), "Pending"),
        ("Always", running(LONG_AGO), "Running"),
        ("Always", terminated(1, LONG_AGO, LONG_AGO), "Running"),
        ("Never", terminated(0, LONG_AGO, LONG_AGO), "Succeeded"),
        ("Never", terminated(3, LONG_AGO, LONG_AGO), "Failed"),
    ],
)
def test_the_phase_follows_from_what_ran(policy: str, value: State, expected: str) -> None:
    assert phase(pod(container(), restartPolicy=policy), [], [state(value)]) == expected
