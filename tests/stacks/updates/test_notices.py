"""What preview says of a change, from what the program registered before it and would register now."""

from typing import Any

from recipes.load import load_recipe
from stacks.updates.deployed import Deployed, DeployedRelease
from stacks.updates.notices import platform_notice
from tests.stacks.plan.test_cache_problems import on_nodes
from tests.stacks.updates.changes import changed, override, replicas, state, update
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings
from tests.support.eks_settings import eks_b200_settings

PINNED = load_recipe("gpt-oss-120b/trtllm-disagg").model.revision


def _two_nodes() -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["nodes"] = 2
    return settings


def _with_revision(settings: dict[str, Any]) -> None:
    settings["model"] = {"revision": "0" * 40}


def _with_mirror(settings: dict[str, Any]) -> None:
    settings["imageMirrors"] = {"nvcr.io": "registry.example.com/nvcr"}


def _cache(size: str, storage_class: str = "shared-files") -> dict[str, Any]:
    return {"size": size, "storageClassName": storage_class}


def test_nothing_is_said_where_nothing_changes() -> None:
    for settings in (disagg_b200_settings(), disagg_gb200_settings(), agg_gb200_settings()):
        assert update(settings, settings).texts == []


def test_nothing_is_said_of_a_first_run_or_of_a_killed_one_that_left_nothing() -> None:
    assert update(Deployed(), disagg_b200_settings()).texts == []


def test_an_engine_option_restarts_every_worker_and_says_for_how_long_nothing_serves() -> None:
    before = disagg_b200_settings()
    change = update(before, changed(before, override("decode", max_batch_size=512)))
    assert change.text == (
        "every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker (changed: engine files)\n"
        "  interruption: nothing serves until the new worker has loaded 65.2 GB, about 31 min at 36 MB/s\n"
        "  TrtllmPrefillWorker: RollingUpdate (pool b200 has 1 GPU free on one node for the new worker)\n"
        "  TrtllmDecodeWorker: Recreate (pool b200 has no 4 GPUs free on one node to start a new worker "
        "beside the old)\n"
        "  Frontend: not touched"
    )
    assert change.update.notices[0].warns


def test_where_every_worker_surges_there_is_no_interruption_and_no_warning() -> None:
    change = update(_two_nodes(), changed(_two_nodes(), override("decode", max_batch_size=512)))
    assert (
        "\n  interruption: no interruption: the old worker serves until the new one has loaded" in change.text
    )
    assert not change.update.notices[0].warns


def test_another_image_restarts_the_frontend_too() -> None:
    before = disagg_b200_settings()
    [_, workers] = update(before, changed(before, _with_mirror)).texts
    assert "(changed: image)" in workers
    assert workers.endswith("Frontend: restarts pod by pod")


def test_more_replicas_restart_nothing_and_name_the_gpus() -> None:
    before = disagg_b200_settings()
    change = update(before, changed(before, replicas(prefill=3)))
    assert change.text == (
        "no worker restarts: TrtllmPrefillWorker 1 -> 3 replicas, 2 pods added on 2 GPUs of pool b200"
    )
    assert not change.update.notices[0].warns


def test_fewer_replicas_restart_nothing_and_name_the_gpus() -> None:
    before = changed(disagg_b200_settings(), replicas(prefill=3))
    assert update(before, disagg_b200_settings()).text == (
        "no worker restarts: TrtllmPrefillWorker 3 -> 1 replicas, 2 pods removed from 2 GPUs of pool b200"
    )


def test_frontends_come_without_gpus() -> None:
    before = disagg_b200_settings()
    text = update(before, changed(before, replicas(frontend=2))).text
    assert text == "no worker restarts: Frontend 1 -> 2 replicas, 1 pod added"


def test_replicas_and_options_in_one_update_are_one_notice() -> None:
    before = disagg_b200_settings()
    both = changed(changed(before, replicas(prefill=3)), override("decode", max_batch_size=512))
    text = update(before, both).text
    assert text.startswith("every worker restarts")
    assert "\n  TrtllmPrefillWorker 1 -> 3 replicas, 2 pods added on 2 GPUs of pool b200\n" in text


def test_another_transport_restarts_every_worker() -> None:
    before = disagg_gb200_settings(4)
    over_tcp = changed(before, lambda settings: settings["serving"].update(kvTransport="tcp"))
    text = update(before, over_tcp).text
    assert text.startswith(
        "every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker (changed: "
    )
    assert "placement" in text.splitlines()[0]


def test_another_revision_is_brought_first_and_the_room_for_two_is_counted() -> None:
    before = disagg_b200_settings() | {"modelCache": _cache("100Gi")}
    [revision, workers] = update(before, changed(before, _with_revision)).texts
    assert revision == (
        f"model revision: 0000000 replaces {PINNED[:7]}; Job model-download fills the volume before any "
        "worker restarts\n"
        "  room: the old revision stays on the volume; two take 134Gi, and modelCache.size is 100Gi: make it "
        "134Gi or more, unless the revisions share their large files"
    )
    assert workers.startswith("every worker restarts")


def test_a_volume_that_holds_two_revisions_is_no_warning() -> None:
    before = disagg_b200_settings() | {"modelCache": _cache("200Gi")}
    change = update(before, changed(before, _with_revision))
    assert change.texts[0].endswith("two take 134Gi, and modelCache.size is 200Gi")
    assert not change.update.notices[0].warns


def test_another_revision_is_brought_to_every_node_with_a_copy_first() -> None:
    before = on_nodes(eks_b200_settings())
    revision, *_ = update(before, changed(before, _with_revision)).texts
    assert revision.startswith(
        f"model revision: 0000000 replaces {PINNED[:7]}; DaemonSet model-cache brings it to every node "
        "before any worker restarts"
    )
    assert "the old revision stays on every node" in revision


def test_a_revision_on_somebody_elses_volume_is_looked_for_first() -> None:
    existing = {"source": {"kind": "existingVolume", "claimName": "models"}}
    before = disagg_b200_settings() | {"model": existing}
    del before["modelCache"]
    after = before | {"model": existing | {"revision": "0" * 40}}
    assert (
        update(before, after)
        .texts[0]
        .endswith("Job model-check looks for it on the volume before any worker restarts")
    )


def test_a_larger_cache_restarts_nothing_and_names_the_class_that_must_allow_it() -> None:
    before = disagg_b200_settings()
    assert update(before, before | {"modelCache": _cache("200Gi")}).text == (
        "model cache: 150Gi -> 200Gi, nothing restarts; storage class shared-files must allow it "
        "(allowVolumeExpansion: true)"
    )


def test_other_values_of_the_platform_restart_the_operator_alone() -> None:
    before = disagg_b200_settings()
    [platform, *_] = update(before, changed(before, _with_mirror)).texts
    assert platform == (
        "platform: Release dynamo-platform is upgraded (values), which restarts the operator alone"
    )


def test_another_version_of_the_platform_may_restart_workers() -> None:
    [notice] = platform_notice(DeployedRelease("1.2.0", {}), "1.2.1", {})
    assert notice.warns
    assert notice.text == (
        "platform: Release dynamo-platform is upgraded (1.2.0 -> 1.2.1), which restarts the operator, and "
        "every worker if the new one writes other pods"
    )


def test_a_platform_of_another_stack_is_not_spoken_of() -> None:
    before = disagg_b200_settings() | {"platform": {"kind": "existing", "version": "1.2.1"}}
    assert state(before).release is None
    assert update(before, changed(before, replicas(prefill=2))).text.startswith("no worker restarts")
