"""Updates of a stack whose pool has room for a second worker, and of one that moves between pools.

Pods are simulated: they load nothing and are ready at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.command import run_process, squeezed
from tests.serving_stacks.pods import claims_of, nodes_of, pods_of
from tests.serving_stacks.rehearsal import prepared
from tests.updates.rehearsal import (
    AGGREGATED,
    BOUND_SECONDS,
    DISAGGREGATED,
    GRAPHS,
    NAMESPACE,
    Settings,
    apply,
    update,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

REVISION = "0123456789abcdef0123456789abcdef01234567"
TRAYS = {"p6e-gb200-0", "p6e-gb200-1"}


def aggregated(settings: Settings) -> None:
    del settings["serving"]["kvTransport"]
    settings["serving"] |= {"recipe": "gpt-oss-120b/trtllm-agg", "readyTimeoutSeconds": BOUND_SECONDS}


@pytest.fixture(scope="module")
def stack(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    """Four of eight GPUs are taken by its one worker: another one fits beside it."""
    with prepared(lab, tmp_path_factory.mktemp("with-room"), "dev", aggregated) as stack:
        apply(stack)
        yield stack


def uid(stack: LabStack, graph: str) -> str:
    found: str = stack.lab.get(GRAPHS, graph, "-n", NAMESPACE)["metadata"]["uid"]
    return found


def test_explain_says_that_the_old_worker_serves_until_the_new_one_does(stack: LabStack) -> None:
    said = squeezed(run_process("explain", "dev", folder=stack.project).out)
    assert "TrtllmWorker: RollingUpdate (pool b200" in said
    assert "no interruption: the old worker serves until the new one has loaded 65.2 GB" in said


def test_another_batch_size_replaces_the_worker_without_an_interruption(stack: LabStack) -> None:
    before = uid(stack, AGGREGATED)
    size = {"max_batch_size": 512, "cuda_graph_config": {"max_batch_size": 512}}
    done = update(stack, lambda settings: settings["serving"].update(overrides={"worker": size}))
    done.record("batch size, room for one more")
    assert "every worker restarts: 1 x TrtllmWorker" in done.preview.notice
    assert "no interruption" in done.preview.notice
    assert (done.pods.roles_created, done.pods.roles_deleted) == (["worker"], ["worker"])
    assert done.pods.interruption == 0
    done.assert_engine_files_came_first_and_went_last()
    assert uid(stack, AGGREGATED) == before


def test_another_model_revision_is_downloaded_before_the_worker_is_replaced(stack: LabStack) -> None:
    before = uid(stack, AGGREGATED)
    done = update(stack, lambda settings: settings.update(model={"revision": REVISION}))
    done.record("model revision")
    assert f"model revision: {REVISION[:7]} replaces" in done.preview.notice
    assert done.preview.removed == {f"Job {NAMESPACE}/model-download"}
    assert (done.pods.roles_created, done.pods.roles_deleted) == (["worker"], ["worker"])
    assert done.pods.interruption == 0
    job = stack.lab.get("job", "model-download", "-n", NAMESPACE)
    [worker] = pods_of(stack.lab, AGGREGATED, NAMESPACE)["worker"]
    assert job["status"]["completionTime"] <= worker["metadata"]["creationTimestamp"]
    assert uid(stack, AGGREGATED) == before


def test_another_image_replaces_frontend_and_worker_one_after_the_other(stack: LabStack) -> None:
    before = uid(stack, AGGREGATED)
    mirror = {"nvcr.io": "registry.example.com/nvcr"}
    done = update(stack, lambda settings: settings.update(imageMirrors=mirror))
    done.record("image")
    assert "Frontend: not touched" not in done.preview.notice
    assert "Release dynamo-platform is upgraded" in done.preview.notice
    assert (done.pods.roles_created, done.pods.roles_deleted) == (["frontend", "worker"],) * 2
    assert done.pods.interruption == 0
    for pods in pods_of(stack.lab, AGGREGATED, NAMESPACE).values():
        [pod] = pods
        assert pod["spec"]["containers"][0]["image"].startswith("registry.example.com/nvcr/")
    assert uid(stack, AGGREGATED) == before


def test_another_recipe_that_fits_beside_the_old_one_takes_over_without_an_interruption(
    stack: LabStack,
) -> None:
    def disaggregate(settings: Settings) -> None:
        del settings["serving"]["overrides"]
        settings["serving"] |= {
            "recipe": "gpt-oss-120b/trtllm-disagg",
            "pool": "gb200",
            "kvTransport": "tcp",
        }

    before = uid(stack, AGGREGATED)
    done = update(stack, disaggregate)
    done.record("another recipe, room for both")
    notice = done.preview.notice
    assert f"another graph: {DISAGGREGATED} is created, then {AGGREGATED} is deleted" in notice
    assert f"address: {AGGREGATED}-frontend" in notice
    assert done.pods.roles_created == ["decode", "frontend", "prefill"]
    assert done.pods.roles_deleted == ["frontend", "worker"]
    assert done.pods.interruption == 0
    assert uid(stack, DISAGGREGATED) != before


def test_another_transport_gives_the_workers_channels_while_nothing_serves(stack: LabStack) -> None:
    before = uid(stack, DISAGGREGATED)
    done = update(stack, lambda settings: settings["serving"].update(kvTransport="mnnvl"))
    done.record("transport, no room")
    assert done.preview.changes["ComputeDomain gpt-oss-disagg-compute-domain"] == "create"
    assert "every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker" in done.preview.notice
    assert "nothing serves" in done.preview.notice
    assert (done.pods.roles_created, done.pods.roles_deleted) == (["decode", "prefill"],) * 2
    assert done.pods.interruption > 0
    done.assert_engine_files_came_first_and_went_last()
    pods = pods_of(stack.lab, DISAGGREGATED, NAMESPACE)
    workers = [*pods["prefill"], *pods["decode"]]
    assert set(nodes_of(workers)) == TRAYS
    assert [len(claims_of(stack.lab, pod)) for pod in workers] == [1, 1]
    assert uid(stack, DISAGGREGATED) == before
