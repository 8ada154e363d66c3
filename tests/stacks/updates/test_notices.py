"""What preview says of a change, from what the program registered before it and would register now."""

import pytest

from recipes.load import load_recipe
from stacks.updates.running import running_of
from tests.stacks.changed_settings import (
    MIRROR,
    ON_EACH_NODE,
    OTHER_REVISION,
    SECOND_NODE,
    Change,
    Settings,
    changed,
    override,
    replicas,
)
from tests.stacks.updates.changes import state, update
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings
from tests.support.eks_settings import eks_b200_settings
from tests.support.shipped_stacks import served_settings

PINNED = load_recipe("gpt-oss-120b/trtllm-disagg").model.revision[:7]
LOAD = "has loaded 65.2 GB, about 31 min at 36 MB/s"
OPTION = override("decode", max_batch_size=512)
SMALL_CACHE: Change = {"modelCache.size": "100Gi"}
LARGE_CACHE: Change = {"modelCache.size": "200Gi"}
FOUR_GPUS: Change = {"serving.gpusPerWorker": 4, "serving.replicas": {"worker": 1}}


@pytest.mark.parametrize(
    "settings",
    [disagg_b200_settings(), disagg_gb200_settings(), agg_gb200_settings(), served_settings("latency-b200")],
)
def test_nothing_is_said_where_nothing_changes(settings: Settings) -> None:
    assert update(settings, settings).texts == []


def test_nothing_is_said_of_a_first_run_or_of_a_killed_one_that_left_nothing() -> None:
    assert update(running_of({}, {}), disagg_b200_settings()).texts == []


@pytest.mark.parametrize(
    ("before", "change", "text"),
    [
        pytest.param(
            disagg_b200_settings(),
            OPTION,
            "every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker (changed: engine files)\n"
            f"  interruption: nothing serves until the new worker {LOAD}\n"
            "  TrtllmPrefillWorker: RollingUpdate (pool b200 has 1 GPU free on one node for the new worker)\n"
            "  TrtllmDecodeWorker: Recreate (pool b200 has no 4 GPUs free on one node to start a new worker "
            "beside the old)\n"
            "  Frontend: not touched",
            id="an engine option",
        ),
        pytest.param(
            served_settings("latency-b200"),
            override("worker", max_batch_size=16),
            "every worker restarts: 1 x TrtllmServer (changed: engine files)\n"
            f"  interruption: nothing serves until the new worker {LOAD}\n"
            "  TrtllmServer: Recreate (pool b200 has no 8 GPUs free on one node to start a new worker "
            "beside the old)",
            id="an engine option of a server without Dynamo",
        ),
        pytest.param(
            disagg_b200_settings(),
            replicas(prefill=3),
            "no worker restarts: TrtllmPrefillWorker 1 -> 3 replicas, 2 pods added on 2 GPUs of pool b200",
            id="more replicas",
        ),
        pytest.param(
            changed(disagg_b200_settings(), replicas(prefill=3)),
            replicas(),
            "no worker restarts: TrtllmPrefillWorker 3 -> 1 replicas, 2 pods removed from 2 GPUs of pool "
            "b200",
            id="fewer replicas",
        ),
        pytest.param(
            disagg_b200_settings(),
            replicas(frontend=2),
            "no worker restarts: Frontend 1 -> 2 replicas, 1 pod added",
            id="frontends, which come without GPUs",
        ),
        pytest.param(
            changed(served_settings("latency-b200"), FOUR_GPUS),
            replicas(worker=2),
            "no worker restarts: TrtllmServer 1 -> 2 replicas, 1 pod added on 4 GPUs of pool b200",
            id="more servers without Dynamo",
        ),
        pytest.param(
            disagg_b200_settings(),
            LARGE_CACHE,
            "model cache: 150Gi -> 200Gi, nothing restarts; storage class shared-files must allow it "
            "(allowVolumeExpansion: true)",
            id="a larger cache",
        ),
    ],
)
def test_preview_says_what_a_change_does_and_warns_of_an_interruption(
    before: Settings, change: Change, text: str
) -> None:
    made = update(before, changed(before, change))
    assert made.text == text
    assert made.update.notices[0].warns is ("interruption" in text)


def test_where_every_worker_surges_there_is_no_interruption_and_no_warning() -> None:
    before = changed(disagg_b200_settings(), SECOND_NODE)
    change = update(before, changed(before, OPTION))
    assert (
        "\n  interruption: no interruption: the old worker serves until the new one has loaded" in change.text
    )
    assert not change.update.notices[0].warns


def test_replicas_and_options_in_one_update_are_one_notice() -> None:
    before = disagg_b200_settings()
    text = update(before, changed(before, replicas(prefill=3), OPTION)).text
    assert text.startswith("every worker restarts")
    assert "\n  TrtllmPrefillWorker 1 -> 3 replicas, 2 pods added on 2 GPUs of pool b200\n" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (OPTION, "engine files"),
        (override("prefill", tensor_parallel_size=2), "sizes, engine files"),
        (MIRROR, "image"),
        (OTHER_REVISION, "MODEL_PATH"),
        ({"nodePools[0].labels": {"example.com/pool": "one"}}, "placement"),
    ],
)
def test_what_has_changed_in_a_worker_is_named_once_and_as_a_person_knows_it(
    change: Change, words: str
) -> None:
    before = disagg_gb200_settings(4)
    *_, text = update(before, changed(before, change)).texts
    first = text.splitlines()[0]
    assert first.startswith("every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker ")
    assert first.endswith(f"(changed: {words})")


def test_another_image_restarts_the_frontend_and_the_operator_too() -> None:
    before = disagg_b200_settings()
    platform, workers = update(before, changed(before, MIRROR)).texts
    assert platform == (
        "platform: Release dynamo-platform is upgraded (values), which restarts the operator alone"
    )
    assert workers.endswith("Frontend: restarts pod by pod")


@pytest.mark.parametrize(
    ("cache", "room"),
    [
        (SMALL_CACHE, "100Gi: make it 134Gi or more, unless the revisions share their large files"),
        (LARGE_CACHE, "200Gi"),
    ],
)
def test_another_revision_is_brought_first_and_the_room_for_two_is_counted(cache: Change, room: str) -> None:
    before = changed(disagg_b200_settings(), cache)
    change = update(before, changed(before, OTHER_REVISION))
    revision, workers = change.texts
    assert revision == (
        f"model revision: 0000000 replaces {PINNED}; Job model-download fills the volume before any "
        "worker restarts\n"
        f"  room: the old revision stays on the volume; two take 134Gi, and modelCache.size is {room}"
    )
    assert change.update.notices[0].warns is ("make it" in room)
    assert workers.startswith("every worker restarts")


def test_another_revision_is_brought_to_every_node_with_a_copy_first() -> None:
    before = changed(eks_b200_settings(), ON_EACH_NODE)
    revision, *_ = update(before, changed(before, OTHER_REVISION)).texts
    assert revision.startswith(
        f"model revision: 0000000 replaces {PINNED}; DaemonSet model-cache brings it to every node "
        "before any worker restarts"
    )
    assert "the old revision stays on every node" in revision


def test_a_revision_on_somebody_elses_volume_is_looked_for_first() -> None:
    existing = {"source": {"kind": "existingVolume", "claimName": "models"}}
    before = disagg_b200_settings() | {"model": existing}
    del before["modelCache"]
    revision, *_ = update(before, before | {"model": existing | {"revision": "0" * 40}}).texts
    assert revision.endswith("Job model-check looks for it on the volume before any worker restarts")


def test_a_platform_of_another_stack_is_not_spoken_of() -> None:
    before = disagg_b200_settings() | {"platform": {"kind": "existing", "version": "1.2.1"}}
    assert state(before).release is None
    assert update(before, changed(before, replicas(prefill=2))).text.startswith("no worker restarts")
