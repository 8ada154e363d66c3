"""What of a stack is measured, and what must be there before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from operations.benchmark.measured_stack import measured_stack
from operations.errors import CommandError
from operations.mock_engine import ENGINE_ANNOTATION
from tests.operations.benchmark.fake_kubectl import FakeKubectl
from tests.support.shipped_stacks import shipped_stack

if TYPE_CHECKING:
    from pathlib import Path

STACK = shipped_stack("disagg-gb200-two-trays")
READY = [{"type": "Ready", "status": "True"}]


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    return FakeKubectl(tmp_path, monkeypatch)


def _pod(
    name: str, phase: str = "Running", annotations: Any = None, conditions: Any = READY
) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "annotations": annotations},
        "status": {"phase": phase, "conditions": conditions},
    }


def test_gpus_model_and_recipe_are_the_stack_s(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("frontend"), _pod("decode"))
    found = measured_stack(STACK, kubectl.commands)
    assert (found.name, found.gpus, found.accelerators) == ("disagg-gb200-two-trays", 5, ("GB200",))
    assert (found.model, found.engine) == ("openai/gpt-oss-120b", "real")


def test_a_pod_with_a_mock_engine_makes_it_a_mock(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("frontend"), _pod("decode", annotations={ENGINE_ANNOTATION: "mock"}))
    assert measured_stack(STACK, kubectl.commands).engine == "mock"


def test_a_graph_without_pods_is_not_measured(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("old", phase="Failed"))
    with pytest.raises(CommandError, match=r"has no pod: there is nothing to measure\n  try: `pulumi up`"):
        measured_stack(STACK, kubectl.commands)


def test_a_graph_with_a_part_of_its_pods_is_not_measured(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("frontend"), _pod("decode", conditions=[]))
    with pytest.raises(CommandError) as refused:
        measured_stack(STACK, kubectl.commands)
    assert "does not serve with all of its pods\n  decode: Running, started but not ready" in str(
        refused.value
    )


def test_a_cluster_that_does_not_answer_is_named(kubectl: FakeKubectl) -> None:
    program = kubectl.folder / "kubectl"
    program.write_text("#!/bin/sh\necho 'Unable to connect to the server' >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(CommandError, match="Unable to connect to the server"):
        measured_stack(STACK, kubectl.commands)
