"""Whether a worker's successor starts beside it, and what clients notice of an update or of a pod's end."""

import pytest

from explain.explanation.reasons import losses
from recipes.placed import Rollout
from tests.stacks.changed_settings import SECOND_NODE, Settings, changed, replicas
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    resolved,
)

SURGE, RECREATE = "RollingUpdate", "Recreate"
SPREAD = changed(disagg_b200_settings(), SECOND_NODE, replicas(prefill=4, decode=2))
EIGHTEEN_TRAYS = changed(disagg_gb200_settings(18), replicas(prefill=4, decode=5))


def _rollouts(settings: Settings) -> dict[str, Rollout]:
    workers = resolved(settings).serving.placed.workers
    return {worker.role: worker.placement.rollout for worker in workers if worker.placement}


@pytest.mark.parametrize(
    ("settings", "prefill", "decode"),
    [
        (disagg_b200_settings(), SURGE, RECREATE),
        (changed(disagg_b200_settings(), SECOND_NODE), SURGE, SURGE),
        # Two trays: decode fills one, prefill leaves three GPUs of the other.
        (changed(disagg_gb200_settings(2), {"serving.kvTransport": "tcp"}), SURGE, RECREATE),
        # 12 of 16 GPUs are taken. The scheduler may have left two free on each node.
        (SPREAD, SURGE, RECREATE),
        # Three trays, one free: decode, the larger, gets it.
        (disagg_gb200_settings(3), RECREATE, SURGE),
        (disagg_gb200_settings(4), SURGE, SURGE),
        # Three GPUs of prefill's tray are free, but its one channel is taken.
        (disagg_gb200_settings(2), RECREATE, RECREATE),
        # Free trays of another domain are no room.
        (EIGHTEEN_TRAYS, RECREATE, RECREATE),
        (changed(EIGHTEEN_TRAYS, {"nodePools[0].nvlinkDomainGpus": 72}), SURGE, SURGE),
    ],
)
def test_a_worker_surges_where_there_is_certain_room_for_one_more(
    settings: Settings, prefill: str, decode: str
) -> None:
    found = {role: rollout.strategy for role, rollout in _rollouts(settings).items()}
    assert found == {"prefill": prefill, "decode": decode}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            disagg_b200_settings(),
            "pool b200 has no 4 GPUs free on one node to start a new worker beside the old",
        ),
        (
            SPREAD,
            "pool b200 has 4 GPUs free on one node only if the scheduler has put the others close together",
        ),
        (
            disagg_gb200_settings(2),
            "pool gb200 has no whole node free in the workers' NVLink domain to start a new worker beside "
            "the old",
        ),
    ],
)
def test_a_worker_that_does_not_surge_says_what_it_lacks(settings: Settings, reason: str) -> None:
    assert _rollouts(settings)["decode"].reason == reason


@pytest.mark.parametrize(
    ("settings", "role", "interruption"),
    [
        (
            changed(disagg_b200_settings(), SECOND_NODE),
            "decode",
            "no interruption: the old worker serves until the new one has loaded 65.2 GB, about 31 min at 36 "
            "MB/s",
        ),
        (
            disagg_b200_settings(),
            "decode",
            "nothing serves until the new worker has loaded 65.2 GB, about 31 min at 36 MB/s",
        ),
        # As short as the storage is fast.
        (
            changed(agg_gb200_settings(), {"modelCache.readMegabytesPerSecond": 1000}),
            "worker",
            "nothing serves until the new worker has loaded 65.2 GB, about 2 min at 1,000 MB/s",
        ),
    ],
)
def test_the_interruption_is_the_load_of_the_model_where_a_worker_does_not_surge(
    settings: Settings, role: str, interruption: str
) -> None:
    assert _rollouts(settings)[role].interruption == interruption


MORE = changed(disagg_b200_settings(), replicas(frontend=2, prefill=2))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (MORE, "one of 2 Frontend: its answers;"),
        (MORE, "one of 2 TrtllmPrefillWorker: its prompts;"),
        (MORE, "the only TrtllmDecodeWorker: its answers and 31 min of service;"),
        (
            changed(agg_gb200_settings(2), replicas(worker=2)),
            "one of 2 TrtllmWorker: nothing, its answers go on at another",
        ),
        # As short as the storage is fast.
        (
            changed(agg_gb200_settings(), {"modelCache.readMegabytesPerSecond": 1000}),
            "the only TrtllmWorker: its answers and 2 min of service",
        ),
    ],
)
def test_one_of_several_leaves_the_service_and_the_only_one_costs_a_load(
    settings: Settings, says: str
) -> None:
    [said] = losses(resolved(settings).serving)
    assert says in said
