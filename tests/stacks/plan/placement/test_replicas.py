from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import INSTANCE_TYPES
from stacks.errors import SettingsError
from tests.support.counted_work import steps
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_gb200_settings,
    problems_of,
    resolved,
)


def _replicas(settings: dict[str, Any]) -> dict[str, int]:
    return {service.role: service.replicas for service in resolved(settings).serving.placed.services}


def test_replicas_that_nobody_types_are_the_recipes() -> None:
    assert _replicas(dev_settings()) == {"frontend": 1, "prefill": 1, "decode": 1}


def test_replicas_are_typed_per_role() -> None:
    settings = dev_settings()
    settings["serving"]["replicas"] = {"frontend": 2, "prefill": 3}
    assert _replicas(settings) == {"frontend": 2, "prefill": 3, "decode": 1}


@pytest.mark.parametrize(("settings", "role"), [(agg_gb200_settings(), "decode"), (dev_settings(), "worker")])
def test_replicas_of_a_role_that_the_recipe_has_not_are_refused(settings: dict[str, Any], role: str) -> None:
    settings["serving"]["replicas"] = {role: 2}
    [problem] = problems_of(settings)
    assert (problem.key, problem.value) == (f"serving.replicas.{role}", 2)
    assert f"has no {role} service" in problem.message


@pytest.mark.parametrize(
    ("trays", "transport", "sets"),
    [
        # Five GPUs a set: 9 trays have 36.
        (9, "tcp", 7),
        # Two trays a set: the ninth is left.
        (9, "mnnvl", 4),
        # A domain of 36 GPUs has 9 trays, however many the pool has.
        (250, "mnnvl", 4),
        (250, "tcp", 200),
    ],
)
def test_fill_takes_as_many_sets_as_the_transport_leaves_room_for(
    trays: int, transport: str, sets: int
) -> None:
    settings = disagg_gb200_settings(trays)
    settings["serving"] |= {"replicas": "fill", "kvTransport": transport}
    assert _replicas(settings) == {"frontend": 1, "prefill": sets, "decode": sets}


def test_fill_is_limited_by_the_smaller_of_two_pools() -> None:
    settings = dev_settings()
    del settings["serving"]["pool"]
    settings["serving"] |= {"replicas": "fill", "pools": {"prefill": "b200", "decode": "gb200"}}
    assert _replicas(settings) == {"frontend": 1, "prefill": 2, "decode": 2}


def test_fill_that_holds_not_even_one_set_is_refused() -> None:
    settings = disagg_gb200_settings(1)
    settings["serving"]["replicas"] = "fill"
    [problem] = problems_of(settings)
    assert (problem.key, problem.value) == ("serving.replicas", "fill")
    assert problem.message == (
        "pool gb200 (1 x p6e-gb200.36xlarge, 4 GPUs) cannot hold even one set of the recipe's workers"
    )


def test_fill_says_what_it_came_to() -> None:
    settings = agg_gb200_settings(nodes=3)
    settings["serving"]["replicas"] = "fill"
    [decision] = [one for one in resolved(settings).decisions if one.subject == "replicas"]
    assert decision.choice == "3 x TrtllmWorker"


@given(
    kind=st.sampled_from(["p6-b200.48xlarge", "p6e-gb200.36xlarge"]),
    nodes=st.integers(1, 40),
    transport=st.sampled_from(["tcp", "mnnvl", "efa"]),
)
def test_fill_fits_and_one_set_more_does_not(kind: str, nodes: int, transport: str) -> None:
    settings = disagg_gb200_settings(nodes)
    settings["nodePools"][0]["instanceType"] = kind
    settings["serving"] |= {"replicas": "fill", "kvTransport": transport}
    try:
        stack = resolved(settings)
    except SettingsError:
        return
    [pool] = stack.pools
    assert pool.used_gpus <= nodes * INSTANCE_TYPES[kind].gpus
    assert pool.packing.used_nodes <= nodes
    sets = _replicas(settings)["decode"]
    settings["serving"]["replicas"] = {"prefill": sets + 1, "decode": sets + 1}
    assert [problem.key for problem in problems_of(settings)] == ["serving.replicas"]


def test_two_hundred_and_fifty_trays_resolve_in_about_the_steps_of_two() -> None:
    few, many = disagg_gb200_settings(2), disagg_gb200_settings(250)
    for settings in (few, many):
        settings["serving"] |= {"replicas": "fill", "kvTransport": "tcp"}
    resolved(few)
    assert steps(lambda: resolved(many)) <= 2 * steps(lambda: resolved(few))
