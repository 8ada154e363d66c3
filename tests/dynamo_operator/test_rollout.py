"""Rolling updates between generations of workers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.dynamo_operator.rollout import Generation, deployment_strategy, limits, next_step

SURGE = "nvidia.com/deployment-rolling-update-max-surge"
UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
IN_PLACE = {SURGE: "0", UNAVAILABLE: "1"}


def generation(
    name: str, wanted: int, existing: int | None = None, available: int | None = None
) -> Generation:
    existing = wanted if existing is None else existing
    return Generation(name, wanted, existing, existing if available is None else available)


@pytest.mark.parametrize(("replicas", "expected"), [(1, (1, 0)), (2, (1, 0)), (4, (1, 1)), (8, (2, 2))])
def test_by_default_a_quarter_may_be_there_above_or_be_missing(
    replicas: int, expected: tuple[int, int]
) -> None:
    assert limits({}, replicas) == expected


def test_with_neither_surge_nor_missing_pods_one_more_pod_is_allowed() -> None:
    neither = {SURGE: "0", UNAVAILABLE: "0"}
    assert limits(neither, 3) == (1, 0)
    assert deployment_strategy(neither, 3)["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}),
        (IN_PLACE, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
        ({"nvidia.com/deployment-strategy": "Recreate"}, {"type": "Recreate"}),
        (
            {"nvidia.com/deployment-strategy": "unknown"},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        ),
    ],
)
def test_annotations_choose_the_strategy_inside_a_deployment(
    annotations: dict[str, str], expected: dict[str, Any]
) -> None:
    assert deployment_strategy(annotations, 1) == expected


def test_the_first_generation_starts_at_once() -> None:
    step = next_step({}, 3, None, [])
    assert (step.new_replicas, step.old_replicas, step.finished) == (3, {}, ())


def test_with_surge_the_new_worker_comes_before_the_old_one_goes() -> None:
    old = generation("old", 1)
    first = next_step({}, 1, None, [old])
    assert (first.new_replicas, first.old_replicas) == (1, {"old": 1})
    waiting = next_step({}, 1, generation("new", 1, existing=1, available=0), [old])
    assert waiting.old_replicas == {"old": 1}
    ready = next_step({}, 1, generation("new", 1), [old])
    assert ready.old_replicas == {"old": 0}


def test_without_surge_the_old_worker_frees_its_gpus_before_the_new_one_starts() -> None:
    first = next_step(IN_PLACE, 1, None, [generation("old", 1)])
    assert (first.new_replicas, first.old_replicas) == (0, {"old": 0})
    terminating = next_step(
        IN_PLACE, 1, generation("new", 0), [generation("old", 0, existing=1, available=0)]
    )
    assert (terminating.new_replicas, terminating.finished) == (0, ())
    gone = next_step(IN_PLACE, 1, generation("new", 0), [generation("old", 0, existing=0)])
    assert (gone.new_replicas, gone.finished) == (1, ("old",))


def test_the_recreate_strategy_does_not_reach_across_generations() -> None:
    step = next_step({"nvidia.com/deployment-strategy": "Recreate"}, 1, None, [generation("old", 1)])
    assert (step.new_replicas, step.old_replicas) == (1, {"old": 1})


@given(
    replicas=st.integers(0, 12),
    surge=st.sampled_from(["0", "1", "3", "25%", "100%"]),
    unavailable=st.sampled_from(["0", "1", "2", "25%", "50%"]),
    old_wanted=st.integers(1, 12),
)
def test_a_rollout_always_ends_and_keeps_to_its_limits(
    replicas: int, surge: str, unavailable: str, old_wanted: int
) -> None:
    annotations = {SURGE: surge, UNAVAILABLE: unavailable}
    most, least = limits(annotations, replicas)
    old, new = generation("old", old_wanted), None
    for _ in range(100):
        step = next_step(annotations, replicas, new, [old])
        if step.finished:
            break
        started = generation("new", step.new_replicas)
        assert started.existing + old.existing <= max(replicas + most, old_wanted)
        if old_wanted >= replicas:
            assert started.available + step.old_replicas["old"] >= min(replicas - least, old.available)
        # Pods follow at once; that a pod takes time is what the steps above show.
        new, old = started, generation("old", step.old_replicas["old"])
    assert step.finished == ("old",)
    assert step.new_replicas == replicas
