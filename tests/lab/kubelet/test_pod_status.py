"""A pod's status, from what became of its containers."""

from __future__ import annotations

import pytest

from lab.kubelet.container_state import ContainerState, Running, Terminated, Waiting
from lab.kubelet.pod_status import phase, pod_status
from tests.lab.kubelet.pods import container, pod

LONG_AGO = "2026-01-01T00:00:00Z"


def state(value: Waiting | Running | Terminated, **fields: bool | int) -> ContainerState:
    return ContainerState("main", "image", value, **fields)  # type: ignore[arg-type]


def conditions(which: dict[str, object], *containers: ContainerState) -> dict[str, dict[str, str]]:
    status = pod_status(which, "10.70.128.9", [], containers)
    return {each["type"]: each for each in status["conditions"]}


def test_a_pod_is_ready_when_every_container_is() -> None:
    ready, other = state(Running(LONG_AGO), is_ready=True), state(Running(LONG_AGO))
    assert conditions(pod(), ready)["Ready"]["status"] == "True"
    said = conditions(pod(), ready, other)["Ready"]
    assert said["status"] == "False"
    assert said["message"] == "containers with unready status: [main]"


def test_a_condition_that_stays_keeps_its_time() -> None:
    which = pod()
    which["status"] = {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": LONG_AGO}]}
    assert (
        conditions(which, state(Running(LONG_AGO), is_ready=True))["Ready"]["lastTransitionTime"] == LONG_AGO
    )
    assert conditions(which, state(Running(LONG_AGO)))["Ready"]["lastTransitionTime"] != LONG_AGO


@pytest.mark.parametrize(
    ("policy", "value", "expected"),
    [
        ("Always", Waiting("ContainerCreating"), "Pending"),
        ("Always", Running(LONG_AGO), "Running"),
        ("Always", Terminated(1, LONG_AGO, LONG_AGO), "Running"),
        ("Never", Terminated(0, LONG_AGO, LONG_AGO), "Succeeded"),
        ("Never", Terminated(3, LONG_AGO, LONG_AGO), "Failed"),
    ],
)
def test_the_phase_follows_from_what_ran(
    policy: str, value: Waiting | Running | Terminated, expected: str
) -> None:
    assert phase(pod(container(), restartPolicy=policy), [], [state(value)]) == expected


def test_the_last_words_of_a_process_are_in_its_status() -> None:
    ended = Terminated(2, LONG_AGO, LONG_AGO, "Unrecognized argument: --disagregation-mode")
    [shown] = pod_status(pod(), "10.0.0.1", [], [state(ended)])["containerStatuses"]
    assert shown["state"]["terminated"]["exitCode"] == 2
    assert "Unrecognized argument" in shown["state"]["terminated"]["message"]
