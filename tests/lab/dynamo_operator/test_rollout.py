"""Rolling updates between generations of workers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.dynamo_operator.rollout import Generation, Step, deployment_strategy, limits, next_step

SURGE = "nvidia.com/deployment-rolling-update-max-surge"
UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
IN_PLACE = {SURGE: "0", UNAVAILABLE: "1"}


def generation(name: str, wanted: int, available: int | None = None, created: str = "") -> Generation:
    return Generation(name, wanted, wanted if available is None else available, created)


@pytest.mark.parametrize(("replicas", "expected"), [(1, (1, 0)), (2, (1, 0)), (4, (1, 1)), (8, (2, 2))])
def test_by_default_a_quarter_may_be_there_above_or_be_missing(
    replicas: int, expected: tuple[int, int]
) -> None:
    assert limits({}, replicas) == expected


def test_with_neither_surge_nor_missing_pods_one_more_pod_is_allowed() -> None:
    neither = {SURGE: "0", UNAVAILABLE: "0"}
    assert limits(neither, 3) == (1, 0)


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
    assert deployment_strategy(annotations) == expected


def test_with_surge_the_new_worker_comes_before_the_old_one_goes() -> None:
    old = generation("old", 1)
    assert next_step({}, 1, None, [old]) == Step(1, {"old": 1})
    assert next_step({}, 1, generation("new", 1, available=0), [old]) == Step(1, {"old": 1})
    assert next_step({}, 1, generation("new", 1), [old]) == Step(1, {"old": 0})


def test_without_surge_the_old_worker_goes_before_the_new_one_is_asked_for() -> None:
    assert next_step(IN_PLACE, 1, None, [generation("old", 1)]) == Step(0, {"old": 0})
    # It is asked for while the old pod stops; the scheduler lets it wait for the GPUs.
    assert next_step(IN_PLACE, 1, generation("new", 0), [generation("old", 0)]) == Step(1, {"old": 0})


def test_without_surge_a_second_worker_goes_only_when_the_first_new_one_serves() -> None:
    first = next_step(IN_PLACE, 2, None, [generation("old", 2)])
    assert first == Step(0, {"old": 1})
    loading = next_step(IN_PLACE, 2, generation("new", 1, available=0), [generation("old", 1)])
    assert loading == Step(1, {"old": 1})
    assert next_step(IN_PLACE, 2, generation("new", 1), [generation("old", 1)]) == Step(1, {"old": 0})


def test_the_recreate_strategy_does_not_reach_across_generations() -> None:
    recreate = {"nvidia.com/deployment-strategy": "Recreate"}
    assert next_step(recreate, 1, None, [generation("old", 1)]) == Step(1, {"old": 1})
    assert next_step(recreate | IN_PLACE, 1, None, [generation("old", 1)]) == Step(0, {"old": 0})


def test_a_worker_that_never_served_goes_first_unless_it_is_the_newest() -> None:
    serving, stuck = generation("a", 1, created="1"), generation("b", 1, available=0, created="2")
    # One of the two must go, and the 1.2 line lets the older one go, the only one that serves.
    assert next_step({}, 1, None, [serving, stuck]) == Step(0, {"b": 1, "a": 0})
    older = generation("b", 1, available=0, created="0")
    assert next_step({}, 1, None, [serving, older]) == Step(0, {"a": 1, "b": 0})


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
        assert step.new_replicas + old.wanted <= max(replicas + most, old_wanted)
        if old_wanted >= replicas:
            serving = (new.available if new else 0) + step.old_replicas["old"]
            assert serving >= min(replicas - least, old.available)
        # Pods follow at once; that a pod takes time is what the steps above show.
        new, old = generation("new", step.new_replicas), generation("old", step.old_replicas["old"])
        if (new.wanted, old.wanted) == (replicas, 0):
            return
    raise AssertionError("the rollout does not end")
