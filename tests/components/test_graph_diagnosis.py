from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from components.graph_diagnosis import GraphAddress, diagnosis, pod_reasons

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = GraphAddress(context="somewhere", namespace="gpt-oss", name="gpt-oss-disagg")
LOOK = (
    "see: kubectl --context somewhere --namespace gpt-oss get pods "
    "--selector nvidia.com/dynamo-graph-deployment-name=gpt-oss-disagg"
)
TIMED_OUT = "timed out waiting for the condition"
UNSCHEDULABLE = "0/5 nodes are available: 1 Insufficient nvidia.com/gpu, 4 node(s) didn't match."


def _pod(name: str, **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": status}


PENDING = _pod(
    "decode",
    phase="Pending",
    conditions=[
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": UNSCHEDULABLE}
    ],
)
READY = _pod("prefill", phase="Running", conditions=[{"type": "Ready", "status": "True"}])


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (PENDING, f"decode: Pending, {UNSCHEDULABLE}"),
        (
            _pod(
                "decode",
                phase="Pending",
                containerStatuses=[
                    {
                        "name": "main",
                        "state": {"waiting": {"reason": "ErrImagePull", "message": "no such tag"}},
                    }
                ],
            ),
            "decode: main waiting, ErrImagePull no such tag",
        ),
        (
            _pod(
                "decode",
                phase="Running",
                initContainerStatuses=[{"name": "prepare", "state": {"terminated": {"reason": "Completed"}}}],
                containerStatuses=[{"name": "main", "state": {"terminated": {"reason": "OOMKilled"}}}],
            ),
            "decode: main terminated, OOMKilled",
        ),
        (_pod("decode", phase="Running", conditions=None), "decode: Running, started but not ready"),
        (_pod("decode"), "decode: unknown, started but not ready"),
    ],
)
def test_a_pod_that_is_not_ready_says_why(pod: dict[str, Any], reason: str) -> None:
    assert pod_reasons([READY, pod]) == [reason]


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kubectl that writes down its arguments and prints the file `answer`."""
    script = tmp_path / "kubectl"
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {tmp_path}/answer\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_the_person_reads_the_schedulers_own_words(kubectl: Path) -> None:
    (kubectl / "answer").write_text(json.dumps({"items": [READY, PENDING]}))
    assert diagnosis(ADDRESS, [TIMED_OUT]) == (
        f"Graph gpt-oss-disagg is not ready:\n  decode: Pending, {UNSCHEDULABLE}\n{LOOK}"
    )
    assert (kubectl / "asked").read_text().startswith("--context somewhere --namespace gpt-oss get pods")


def test_a_graph_without_pods_points_at_its_operator(kubectl: Path) -> None:
    (kubectl / "answer").write_text(json.dumps({"items": []}))
    assert "it has no pods: the operator has not acted on it" in (diagnosis(ADDRESS, [TIMED_OUT]) or "")


@pytest.mark.parametrize("answer", ["not json", "{}"])
def test_an_answer_that_cannot_be_read_leaves_the_command_to_type(kubectl: Path, answer: str) -> None:
    (kubectl / "answer").write_text(answer)
    assert diagnosis(ADDRESS, [TIMED_OUT]) == f"Graph gpt-oss-disagg is not ready; its pods say why; {LOOK}"


def test_without_kubectl_the_command_to_type_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert diagnosis(ADDRESS, [TIMED_OUT]) == f"Graph gpt-oss-disagg is not ready; its pods say why; {LOOK}"


def test_a_webhook_that_does_not_answer_yet_is_told_apart_from_a_graph_that_is_wrong() -> None:
    error = (
        'Internal error occurred: failed calling webhook "mdynamographdeployment.kb.io": connection refused'
    )
    said = diagnosis(ADDRESS, [error]) or ""
    assert "webhook does not answer yet" in said
    assert "run `pulumi up` again" in said


def test_pods_that_became_ready_meanwhile_are_not_blamed(kubectl: Path) -> None:
    (kubectl / "answer").write_text(json.dumps({"items": [READY]}))
    assert "running `pulumi up` again finishes" in (diagnosis(ADDRESS, [TIMED_OUT]) or "")


@pytest.mark.parametrize(
    "error", ["Server-Side Apply field conflict detected", "spec.services: Required value"]
)
def test_a_failure_that_is_no_wait_is_left_in_the_providers_words(kubectl: Path, error: str) -> None:
    (kubectl / "answer").write_text(json.dumps({"items": [READY, PENDING]}))
    assert diagnosis(ADDRESS, [error]) is None
    assert not (kubectl / "asked").exists()
