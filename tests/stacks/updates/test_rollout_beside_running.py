"""Surges that fit beside the workers of before, not only beside those of the new settings."""

from typing import Any

from tests.stacks.updates.changes import changed, override, replicas, state_after, update
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    existing_cluster_settings,
    resolved,
)

SURGE, RECREATE = "RollingUpdate", "Recreate"


def _agg_b200(nodes: int, gpus: int) -> dict[str, Any]:
    settings = existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-agg", "pool": "b200"},
        [{"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": nodes}],
    )
    return changed(settings, override("worker", tensor_parallel_size=gpus))


def test_a_smaller_worker_does_not_surge_into_gpus_that_the_larger_one_still_holds() -> None:
    # From the new settings alone: 4 of 8 GPUs are free. But the old worker has all of them until it goes.
    change = update(_agg_b200(1, 8), _agg_b200(1, 4))
    assert update(
        _agg_b200(1, 4), changed(_agg_b200(1, 4), override("worker", max_batch_size=9))
    ).strategies == {"worker": SURGE}
    assert change.strategies == {"worker": RECREATE}
    assert "Recreate (pool b200 has no 4 GPUs free on one node beside" in change.text
    assert change.update.notices[0].warns


def test_a_smaller_worker_surges_where_another_node_is_free() -> None:
    assert update(_agg_b200(2, 8), _agg_b200(2, 4)).strategies == {"worker": SURGE}


def test_a_worker_with_more_processors_does_not_surge_into_those_that_the_others_hold() -> None:
    before = changed(_agg_b200(1, 4), replicas(worker=1))
    after = changed(before, lambda settings: settings["serving"].update(resources={"worker": {"cpu": 120}}))
    # By its GPUs another one fits beside it, by its processors none does.
    assert update(before, changed(before, override("worker", max_batch_size=9))).strategies == {
        "worker": SURGE
    }
    assert update(before, after).strategies == {"worker": RECREATE}


def test_a_larger_worker_surges_where_the_new_settings_alone_allow_it() -> None:
    assert update(_agg_b200(2, 4), _agg_b200(2, 8)).strategies == {"worker": SURGE}


def test_more_and_changed_workers_in_one_update_surge_only_with_room_for_all_of_them() -> None:
    before = disagg_b200_settings()
    option = override("decode", max_batch_size=512)
    # 3 x 1 + 4 GPUs leave one for the surge of a prefill worker; 4 x 1 + 4 leave none.
    assert (
        update(before, changed(changed(before, replicas(prefill=3)), option)).strategies["prefill"] == SURGE
    )
    assert (
        update(before, changed(changed(before, replicas(prefill=4)), option)).strategies["prefill"]
        == RECREATE
    )


def test_fewer_and_changed_workers_in_one_update_may_surge() -> None:
    # Old ones above the new number go at once, whatever the new ones do (ai-dynamo/dynamo#8823).
    before = changed(disagg_b200_settings(), replicas(prefill=4))
    after = changed(disagg_b200_settings(), override("decode", max_batch_size=512))
    assert update(before, after).strategies["prefill"] == SURGE


def test_workers_that_move_to_a_pool_wait_for_those_that_are_in_it_still() -> None:
    def pools(prefill: str, decode: str) -> dict[str, Any]:
        settings = disagg_b200_settings()
        settings["nodePools"] = [
            {
                "name": name,
                "instanceType": "p6-b200.48xlarge",
                "nodes": 1,
                "labels": {"example.com/pool": name},
            }
            for name in ("a", "b")
        ]
        del settings["serving"]["pool"]
        settings["serving"]["pools"] = {"prefill": prefill, "decode": decode}
        return settings

    assert update(pools("a", "b"), pools("a", "b")).strategies == {"prefill": SURGE, "decode": SURGE}
    # Decode moves to pool a, where the old prefill worker is: 8 GPUs for 1 + 4 and a surge of 4.
    assert update(pools("a", "b"), pools("b", "a")).strategies == {"prefill": SURGE, "decode": RECREATE}


def test_workers_of_another_transport_never_surge() -> None:
    before = disagg_gb200_settings(4)
    over_tcp = changed(before, lambda settings: settings["serving"].update(kvTransport="tcp"))
    change = update(before, over_tcp)
    assert change.strategies == {"prefill": RECREATE, "decode": RECREATE}
    assert (
        "Recreate (with this KV transport workers of before the change leave no place to count on)"
        in change.text
    )


def test_what_was_decided_beside_old_workers_stays_until_workers_change_again() -> None:
    rolled = update(_agg_b200(1, 8), _agg_b200(1, 4))
    again = update(state_after(rolled), _agg_b200(1, 4))
    assert (again.strategies, again.texts) == ({"worker": RECREATE}, [])
    next_change = changed(_agg_b200(1, 4), override("worker", max_batch_size=9))
    assert update(state_after(rolled), next_change).strategies == {"worker": SURGE}


def test_another_node_in_the_pool_changes_nothing_until_workers_change() -> None:
    before = disagg_b200_settings()
    grown = changed(before, lambda settings: settings["nodePools"][0].update(nodes=2))
    assert update(before, grown).strategies["decode"] == RECREATE
    assert update(before, grown).texts == []
    assert (
        update(before, changed(grown, override("decode", max_batch_size=512))).strategies["decode"] == SURGE
    )


def test_a_graph_of_another_recipe_is_rolled_by_its_own_settings() -> None:
    assert update(disagg_gb200_settings(), agg_gb200_settings(2)).strategies == {"worker": SURGE}


def test_a_typed_nvlink_domain_counts_for_what_runs_as_it_does_for_explain() -> None:
    settings = disagg_gb200_settings(12)
    settings["serving"]["replicas"] = {"prefill": 4, "decode": 5}
    settings["nodePools"][0]["nvlinkDomainGpus"] = 72
    after = changed(settings, override("decode", max_batch_size=512))
    explained = {
        worker.role: worker.placement.rollout.strategy
        for worker in resolved(after).serving.placed.workers
        if worker.placement
    }
    change = update(settings, after)
    assert change.strategies == explained == {"prefill": SURGE, "decode": SURGE}
    [graph] = state_after(change).graphs
    assert {worker.strategy for worker in graph.workers} == {SURGE}
    del settings["nodePools"][0]["nvlinkDomainGpus"]
    small = changed(settings, override("decode", max_batch_size=512))
    assert update(settings, small).strategies == {"prefill": RECREATE, "decode": RECREATE}
