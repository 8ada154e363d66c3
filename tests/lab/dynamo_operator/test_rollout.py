"""Rolling updates between generations of workers."""

import pytest

from lab.dynamo_operator.rollout import Generation, Step, limits, next_step

SURGE = "nvidia.com/deployment-rolling-update-max-surge"
UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
IN_PLACE = {SURGE: "0", UNAVAILABLE: "1"}
RECREATE = {"nvidia.com/deployment-strategy": "Recreate"}
OLD = Generation("old", 1, 1)
LOADING = Generation("new", 1, 0)
SERVING = Generation("new", 1, 1)


@pytest.mark.parametrize(
    ("annotations", "replicas", "expected"),
    [
        # A quarter each by default; with neither, nothing could ever move.
        ({}, 1, (1, 0)),
        ({}, 4, (1, 1)),
        ({}, 8, (2, 2)),
        ({SURGE: "0", UNAVAILABLE: "0"}, 3, (1, 0)),
    ],
)
def test_so_many_pods_may_be_there_above_or_be_missing(
    annotations: dict[str, str], replicas: int, expected: tuple[int, int]
) -> None:
    assert limits(annotations, replicas) == expected


@pytest.mark.parametrize(
    ("annotations", "replicas", "new", "old", "expected"),
    [
        pytest.param({}, 1, LOADING, OLD, Step(1, {"old": 1}), id="surge: both while the new one loads"),
        pytest.param(
            {}, 1, SERVING, OLD, Step(1, {"old": 0}), id="surge: the old one goes when the new serves"
        ),
        pytest.param(
            # It is asked for while the old pod stops; the scheduler lets it wait for the GPUs.
            IN_PLACE,
            1,
            Generation("new", 0, 0),
            Generation("old", 0, 0),
            Step(1, {"old": 0}),
            id="in place: the new one comes when the old one has gone",
        ),
        pytest.param(
            IN_PLACE, 2, None, Generation("old", 2, 2), Step(0, {"old": 1}), id="in place: one of two"
        ),
        pytest.param(IN_PLACE, 2, LOADING, OLD, Step(1, {"old": 1}), id="in place: the second one stays"),
        pytest.param(IN_PLACE, 2, SERVING, OLD, Step(1, {"old": 0}), id="in place: until the first serves"),
        pytest.param(
            RECREATE, 1, None, OLD, Step(1, {"old": 1}), id="Recreate does not reach across generations"
        ),
    ],
)
def test_a_step_between_generations(
    annotations: dict[str, str], replicas: int, new: Generation | None, old: Generation, expected: Step
) -> None:
    assert next_step(annotations, replicas, new, [old]) == expected


def test_a_worker_that_never_served_goes_first_unless_it_is_the_newest() -> None:
    serving = Generation("a", 1, 1, "1")
    stuck = Generation("b", 1, 0, "2")
    # One of the two must go, and the 1.2 line lets the older one go, the only one that serves.
    assert next_step({}, 1, None, [serving, stuck]) == Step(0, {"b": 1, "a": 0})
    older = Generation("b", 1, 0, "0")
    assert next_step({}, 1, None, [serving, older]) == Step(0, {"a": 1, "b": 0})
