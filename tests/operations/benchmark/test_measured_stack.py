"""What of a stack is measured, and what must be there before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.directory import REPOSITORY
from operations.benchmark.plan_run import run_of_stack, serving_engine
from operations.benchmark.shapes import Wanted
from operations.errors import CommandError
from operations.mock_engine import ENGINE_ANNOTATION
from stacks.stack_files import list_stacks
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
    engine = serving_engine(STACK, kubectl.commands)
    wanted = Wanted((), every_shape=False, sweep=False, concurrency=None, requests=None)
    run = run_of_stack(STACK, engine, wanted, in_cluster=True, seconds=None)
    assert (run.target, run.gpus, run.accelerators) == ("disagg-gb200-two-trays", 5, ("GB200",))
    assert (run.model, run.engine) == ("openai/gpt-oss-120b", "real")
    recipe = STACK.serving.placed.recipe
    assert (run.recipe, run.runtime) == (recipe.name, f"{recipe.runtime.image}:{recipe.runtime.version}")


@pytest.mark.parametrize("name", list_stacks(REPOSITORY))
def test_figures_are_divided_by_the_gpus_that_the_stack_uses(name: str) -> None:
    stack = shipped_stack(name)
    wanted = Wanted((), every_shape=False, sweep=False, concurrency=None, requests=None)
    run = run_of_stack(stack, "real", wanted, in_cluster=True, seconds=None)
    assert run.gpus == sum(pool.used_gpus for pool in stack.pools)


def test_a_benchmark_keeps_as_many_requests_open_as_all_replicas_run() -> None:
    wanted = Wanted((), every_shape=False, sweep=False, concurrency=None, requests=None)
    [load] = run_of_stack(shipped_stack("agg-b200"), "real", wanted, in_cluster=True, seconds=None).loads
    # Eight workers of one GPU, 512 each.
    assert load.concurrency == 4096


def test_a_pod_with_a_mock_engine_makes_it_a_mock(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("frontend"), _pod("decode", annotations={ENGINE_ANNOTATION: "mock"}))
    assert serving_engine(STACK, kubectl.commands) == "mock"


def test_a_graph_without_pods_is_not_measured(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("old", phase="Failed"))
    with pytest.raises(CommandError, match=r"has no pod: there is nothing to measure\n  try: `pulumi up`"):
        serving_engine(STACK, kubectl.commands)


def test_a_graph_with_a_part_of_its_pods_is_not_measured(kubectl: FakeKubectl) -> None:
    kubectl.says_graph(_pod("frontend"), _pod("decode", conditions=[]))
    with pytest.raises(CommandError) as refused:
        serving_engine(STACK, kubectl.commands)
    assert "does not serve with all of its pods\n  decode: Running, started but not ready" in str(
        refused.value
    )


def test_a_cluster_that_does_not_answer_is_named(kubectl: FakeKubectl) -> None:
    kubectl.is_away = True
    with pytest.raises(CommandError, match=r"get pods .* failed; nothing was changed\n  the API server"):
        serving_engine(STACK, kubectl.commands)
