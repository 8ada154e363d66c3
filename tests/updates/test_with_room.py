"""Updates of a stack whose pool has room for a second worker, and of one that moves between pools.

Pods are simulated: they load nothing and are ready at once.
"""

import pytest

from tests.cli.command import run_process, squeezed
from tests.serving_stacks.pods import pods_of
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox
from tests.updates.rehearsal import (
    AGGREGATED,
    BOUND_SECONDS,
    DISAGGREGATED,
    NAMESPACE,
    Settings,
    apply,
    uid,
    update,
)

pytestmark = [pytest.mark.lab, pytest.mark.slow]

REVISION = "0123456789abcdef0123456789abcdef01234567"


def aggregated(settings: Settings) -> None:
    del settings["serving"]["kvTransport"]
    settings["serving"] |= {"recipe": "gpt-oss-120b/trtllm-agg", "readyTimeoutSeconds": BOUND_SECONDS}


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """Four of eight GPUs are taken by its one worker: another one fits beside it."""
    stack = prepare(own_lab, tmp_path_factory.mktemp("with-room"), "dev", aggregated)
    apply(stack)
    return stack


def test_explain_says_that_the_old_worker_serves_until_the_new_one_does(stack: LabStack) -> None:
    said = squeezed(run_process("explain", "dev", "--all", folder=stack.project).out)
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
