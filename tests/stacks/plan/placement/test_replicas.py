"""How many workers there are: typed, the recipe's, or as many as the pools hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.explanation.reasons import placements
from hardware import INSTANCE_TYPES
from stacks.errors import SettingsError
from tests.stacks.changed_settings import Settings, changed, pools, replicas, said
from tests.support.counted_work import steps
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_gb200_settings,
    problems_of,
    resolved,
)

FILL = {"serving.replicas": "fill"}
TWO_POOLS = pools(prefill="b200", decode="gb200")


def _filled(trays: int, transport: str) -> Settings:
    return changed(disagg_gb200_settings(trays), FILL, {"serving.kvTransport": transport})


@pytest.mark.parametrize(
    ("typed", "frontend", "prefill", "decode"),
    [
        (dev_settings(), 1, 1, 1),
        (changed(dev_settings(), replicas(frontend=2, prefill=3)), 2, 3, 1),
        # Five GPUs a set: 9 trays have 36.
        (_filled(9, "tcp"), 1, 7, 7),
        # Two trays a set: the ninth is left.
        (_filled(9, "mnnvl"), 1, 4, 4),
        # A domain of 36 GPUs has 9 trays, however many the pool has.
        (_filled(250, "mnnvl"), 1, 4, 4),
        (_filled(250, "tcp"), 1, 200, 200),
        # The smaller of two pools limits it.
        (changed(dev_settings(), FILL, TWO_POOLS), 1, 2, 2),
    ],
)
def test_replicas_are_those_that_are_typed_the_recipe_s_or_as_many_as_there_is_room_for(
    typed: Settings, frontend: int, prefill: int, decode: int
) -> None:
    found = {service.role: service.replicas for service in resolved(typed).serving.placed.services}
    assert found == {"frontend": frontend, "prefill": prefill, "decode": decode}


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (
            changed(agg_gb200_settings(), replicas(decode=2)),
            "Pulumi.dev.yaml: serving.replicas.decode = 2\n"
            "  gpt-oss-120b/trtllm-agg has no decode service\n"
            "  allowed: frontend, worker",
        ),
        (
            changed(disagg_gb200_settings(1), FILL),
            "Pulumi.dev.yaml: serving.replicas = 'fill'\n"
            "  pool gb200 (1 x p6e-gb200.36xlarge, 4 GPUs) cannot hold even one set of the recipe's workers",
        ),
    ],
)
def test_replicas_that_the_recipe_or_the_pool_has_no_place_for_are_refused(
    typed: Settings, text: str
) -> None:
    assert said(typed) == text


def test_fill_says_what_it_came_to() -> None:
    said = "\n".join(placements(resolved(changed(agg_gb200_settings(nodes=3), FILL))))
    assert "replicas: 3 x TrtllmWorker (fill: the most sets" in said


@settings(max_examples=50)
@given(
    kind=st.sampled_from(["p6-b200.48xlarge", "p6e-gb200.36xlarge"]),
    nodes=st.integers(1, 40),
    transport=st.sampled_from(["tcp", "mnnvl", "efa"]),
)
def test_fill_fits_and_one_set_more_does_not(kind: str, nodes: int, transport: str) -> None:
    typed = changed(_filled(nodes, transport), {"nodePools[0].instanceType": kind})
    try:
        stack = resolved(typed)
    except SettingsError:
        return
    [pool] = stack.pools
    assert pool.used_gpus <= nodes * INSTANCE_TYPES[kind].gpus
    assert pool.used_nodes <= nodes
    more = stack.serving.placed.workers[0].replicas + 1
    refused = problems_of(changed(typed, replicas(prefill=more, decode=more)))
    assert [problem.key for problem in refused] == ["serving.replicas"]


def test_two_hundred_and_fifty_trays_resolve_in_about_the_steps_of_two() -> None:
    few, many = _filled(2, "tcp"), _filled(250, "tcp")
    resolved(few)
    assert steps(lambda: resolved(many)) <= 2 * steps(lambda: resolved(few))
