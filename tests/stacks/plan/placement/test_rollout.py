from typing import Any

from recipes.placed import Rollout
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    resolved,
)

SURGE, RECREATE = "RollingUpdate", "Recreate"


def _rollouts(settings: dict[str, Any]) -> dict[str, Rollout]:
    workers = resolved(settings).serving.placed.workers
    return {worker.role: worker.placement.rollout for worker in workers if worker.placement}


def _strategies(settings: dict[str, Any]) -> dict[str, str]:
    return {role: rollout.strategy for role, rollout in _rollouts(settings).items()}


def _disagg_b200(nodes: int, **serving: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["nodes"] = nodes
    settings["serving"] |= serving
    return settings


def test_a_worker_surges_only_into_gpus_that_are_free() -> None:
    rollouts = _rollouts(dev_settings())
    assert rollouts["prefill"].strategy == SURGE
    assert rollouts["decode"].strategy == RECREATE
    assert rollouts["decode"].reason == (
        "pool b200 has no 4 GPUs free on one node to start a new worker beside the old"
    )


def test_a_second_node_lets_the_large_worker_surge_too() -> None:
    assert _strategies(_disagg_b200(2)) == {"prefill": SURGE, "decode": SURGE}


def test_free_gpus_in_pieces_are_no_room_for_a_surge() -> None:
    # Two trays: decode fills one, prefill leaves three GPUs of the other.
    settings = disagg_gb200_settings(2)
    settings["serving"]["kvTransport"] = "tcp"
    assert _strategies(settings)["decode"] == RECREATE


def test_gpus_that_are_free_on_one_node_only_if_others_are_close_are_no_room() -> None:
    # 12 of 16 GPUs are taken. The scheduler may have left two free on each node.
    settings = _disagg_b200(2, replicas={"prefill": 4, "decode": 2})
    rollouts = _rollouts(settings)
    assert rollouts["decode"].strategy == RECREATE
    assert rollouts["decode"].reason == (
        "pool b200 has 4 GPUs free on one node only if the scheduler has put the others close together"
    )
    assert rollouts["prefill"].strategy == SURGE


def test_two_workers_cannot_surge_into_the_same_gpus() -> None:
    # Three trays, one free: decode, the larger, gets it.
    settings = disagg_gb200_settings(3)
    assert _strategies(settings) == {"prefill": RECREATE, "decode": SURGE}
    assert _strategies(disagg_gb200_settings(4)) == {"prefill": SURGE, "decode": SURGE}


def test_a_worker_with_a_channel_surges_only_onto_a_whole_free_tray() -> None:
    # Three GPUs of prefill's tray are free, but its one channel is taken.
    rollouts = _rollouts(disagg_gb200_settings(2))
    assert {rollout.strategy for rollout in rollouts.values()} == {RECREATE}
    assert rollouts["prefill"].reason == (
        "pool gb200 has no whole node free in the workers' NVLink domain to start a new worker beside the old"
    )


def test_free_trays_of_another_domain_are_no_room_for_a_surge() -> None:
    settings = disagg_gb200_settings(18)
    settings["serving"]["replicas"] = {"prefill": 4, "decode": 5}
    assert _strategies(settings) == {"prefill": RECREATE, "decode": RECREATE}
    settings["nodePools"][0]["nvlinkDomainGpus"] = 72
    assert _strategies(settings) == {"prefill": SURGE, "decode": SURGE}


def test_clients_notice_nothing_where_every_worker_surges() -> None:
    for rollout in _rollouts(_disagg_b200(2)).values():
        assert rollout.interruption == (
            "no interruption: the old worker serves until the new one has loaded 65.2 GB, about 31 min at "
            "36 MB/s"
        )


def test_a_worker_that_surges_still_waits_for_one_that_does_not() -> None:
    rollouts = _rollouts(_disagg_b200(1))
    assert "clients wait for TrtllmDecodeWorker" in rollouts["prefill"].interruption
    assert rollouts["decode"].interruption.startswith("nothing serves until the new worker has loaded")


def test_the_interruption_is_as_long_as_storage_is_slow() -> None:
    settings = agg_gb200_settings()
    settings["modelCache"]["readMegabytesPerSecond"] = 1000
    rollout = _rollouts(settings)["worker"]
    assert rollout.interruption == (
        "nothing serves until the new worker has loaded 65.2 GB, about 2 min at 1,000 MB/s"
    )
