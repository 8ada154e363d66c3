"""Surges that fit beside the workers of before, not only beside those of the new settings."""

import pytest

from tests.stacks.changed_settings import SECOND_NODE, Change, Settings, changed, override, pools, replicas
from tests.stacks.updates.changes import state_after, update
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    existing_cluster_settings,
)

SURGE, RECREATE = "RollingUpdate", "Recreate"
OPTION = override("decode", max_batch_size=512)
OTHER_OPTION: Change = {"serving.overrides.worker.max_batch_size": 9}
B200 = {"instanceType": "p6-b200.48xlarge", "nodes": 1}
POOLS = [B200 | {"name": name, "labels": {"example.com/pool": name}} for name in ("a", "b")]


def _agg_b200(nodes: int, gpus: int) -> Settings:
    settings = existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-agg", "pool": "b200"}, [B200 | {"name": "b200", "nodes": nodes}]
    )
    return changed(settings, override("worker", tensor_parallel_size=gpus))


def _split(prefill: str, decode: str) -> Settings:
    return changed(disagg_b200_settings(), {"nodePools": POOLS}, pools(prefill=prefill, decode=decode))


HALF_A_NODE = _agg_b200(1, 4)


@pytest.mark.parametrize(
    ("before", "after", "strategies"),
    [
        pytest.param(
            HALF_A_NODE, changed(HALF_A_NODE, OTHER_OPTION), {"worker": SURGE}, id="a worker of half a node"
        ),
        # From the new settings alone: 4 of 8 GPUs are free. But the old worker has all of them until it goes.
        pytest.param(_agg_b200(1, 8), HALF_A_NODE, {"worker": RECREATE}, id="a smaller one in the same GPUs"),
        pytest.param(_agg_b200(2, 8), _agg_b200(2, 4), {"worker": SURGE}, id="a smaller one, a free node"),
        pytest.param(_agg_b200(2, 4), _agg_b200(2, 8), {"worker": SURGE}, id="a larger one, a free node"),
        # By its GPUs another one fits beside it, by its processors none does.
        pytest.param(
            HALF_A_NODE,
            changed(HALF_A_NODE, {"serving.resources": {"worker": {"cpu": 120}}}),
            {"worker": RECREATE},
            id="more processors than the others leave",
        ),
        # 3 x 1 + 4 GPUs leave one for the surge of a prefill worker; 4 x 1 + 4 leave none.
        pytest.param(
            disagg_b200_settings(),
            changed(disagg_b200_settings(), replicas(prefill=3), OPTION),
            {"prefill": SURGE, "decode": RECREATE},
            id="more workers with room for one that surges",
        ),
        pytest.param(
            disagg_b200_settings(),
            changed(disagg_b200_settings(), replicas(prefill=4), OPTION),
            {"prefill": RECREATE, "decode": RECREATE},
            id="more workers without that room",
        ),
        # Old ones above the new number go at once, whatever the new ones do (ai-dynamo/dynamo#8823).
        pytest.param(
            changed(disagg_b200_settings(), replicas(prefill=4)),
            changed(disagg_b200_settings(), OPTION),
            {"prefill": SURGE, "decode": RECREATE},
            id="fewer workers",
        ),
        pytest.param(_split("a", "b"), _split("a", "b"), {"prefill": SURGE, "decode": SURGE}, id="two pools"),
        # Decode moves to pool a, where the old prefill worker is: 8 GPUs for 1 + 4 and a surge of 4.
        pytest.param(
            _split("a", "b"), _split("b", "a"), {"prefill": SURGE, "decode": RECREATE}, id="two pools swapped"
        ),
        pytest.param(
            disagg_gb200_settings(), agg_gb200_settings(2), {"worker": SURGE}, id="a graph of another recipe"
        ),
    ],
)
def test_a_worker_surges_where_there_is_room_beside_those_of_before(
    before: Settings, after: Settings, strategies: dict[str, str]
) -> None:
    assert update(before, after).strategies == strategies


def test_a_worker_that_waits_for_the_gpus_of_the_old_one_is_said_to() -> None:
    change = update(_agg_b200(1, 8), HALF_A_NODE)
    assert "Recreate (pool b200 has no 4 GPUs free on one node beside" in change.text
    assert change.update.notices[0].warns


def test_workers_of_another_transport_never_surge() -> None:
    before = disagg_gb200_settings(4)
    change = update(before, changed(before, {"serving.kvTransport": "tcp"}))
    assert change.strategies == {"prefill": RECREATE, "decode": RECREATE}
    assert (
        "Recreate (with this KV transport workers of before the change leave no place to count on)"
        in change.text
    )


def test_what_was_decided_beside_old_workers_stays_until_workers_change_again() -> None:
    rolled = state_after(update(_agg_b200(1, 8), HALF_A_NODE))
    again = update(rolled, HALF_A_NODE)
    assert (again.strategies, again.texts) == ({"worker": RECREATE}, [])
    assert update(rolled, changed(HALF_A_NODE, OTHER_OPTION)).strategies == {"worker": SURGE}


def test_another_node_in_the_pool_changes_nothing_until_workers_change() -> None:
    before = disagg_b200_settings()
    grown = update(before, changed(before, SECOND_NODE))
    assert (grown.strategies["decode"], grown.texts) == (RECREATE, [])
    assert update(before, changed(before, SECOND_NODE, OPTION)).strategies["decode"] == SURGE


def test_a_typed_nvlink_domain_counts_for_what_runs() -> None:
    small = changed(disagg_gb200_settings(12), replicas(prefill=4, decode=5))
    assert set(update(small, changed(small, OPTION)).strategies.values()) == {RECREATE}
    large = changed(small, {"nodePools[0].nvlinkDomainGpus": 72})
    assert set(update(large, changed(large, OPTION)).strategies.values()) == {SURGE}
