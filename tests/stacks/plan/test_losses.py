"""What `explain` says that a pod's end costs."""

from typing import Any

import pytest

from stacks.plan.losses import losses
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, resolved

MORE = {"frontend": 2, "prefill": 2}


def _said(settings: dict[str, Any]) -> str:
    [said] = losses(resolved(settings).serving)
    return said


def test_the_only_pod_of_a_kind_takes_the_service_along_until_the_next_has_started() -> None:
    assert _said(disagg_b200_settings()) == (
        "when a process dies, of the only Frontend: its answers and 30 s of service; of the only "
        "TrtllmPrefillWorker or TrtllmDecodeWorker: its answers and 31 min of service; told to end, a pod "
        "finishes them"
    )


def test_the_load_of_the_model_follows_the_storage() -> None:
    settings = agg_gb200_settings()
    settings["modelCache"]["readMegabytesPerSecond"] = 1000
    assert "the only TrtllmWorker: its answers and 2 min of service" in _said(settings)


@pytest.mark.parametrize(
    "said",
    [
        "one of 2 Frontend: its answers;",
        "one of 2 TrtllmPrefillWorker: its prompts;",
        "the only TrtllmDecodeWorker: its answers and 31 min of service;",
    ],
)
def test_one_of_several_leaves_the_service(said: str) -> None:
    settings = disagg_b200_settings()
    settings["serving"]["replicas"] = MORE
    assert said in _said(settings)


def test_answers_of_one_of_several_workers_that_decode_go_on_at_another() -> None:
    settings = agg_gb200_settings(nodes=2)
    settings["serving"]["replicas"] = {"worker": 2}
    assert "one of 2 TrtllmWorker: nothing, its answers go on at another" in _said(settings)
