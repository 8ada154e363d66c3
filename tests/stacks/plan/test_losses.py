"""What `explain` says that a pod's end costs."""

import pytest

from stacks.plan.decisions import losses
from tests.stacks.changed_settings import Settings, changed, replicas
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, resolved


def _said(settings: Settings) -> str:
    [said] = losses(resolved(settings).serving)
    return said


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
    assert says in _said(settings)
