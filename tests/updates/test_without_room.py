"""Updates of a stack whose pool has no room for a second decode worker: five of eight GPUs are taken by its
own workers, and a new decode worker needs four. Pods are simulated: they load nothing and are ready at once.
"""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lab.directory import REPOSITORY
from tests.cli.command import run_process, squeezed
from tests.serving_stacks.pods import pods_of
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack, inventory
from tests.support.sandbox import Sandbox
from tests.updates.rehearsal import (
    AGGREGATED,
    BOUND_SECONDS,
    DISAGGREGATED,
    GRAPHS,
    NAMESPACE,
    Settings,
    apply,
    observed,
    preview,
    uid,
    update,
)

pytestmark = [pytest.mark.lab, pytest.mark.slow]

INTERRUPTED = "nothing serves until the new worker has loaded 65.2 GB"
WORKER_PODS = ["decode", "prefill"]
HANGS_SECONDS = 10
WITH_OUR_ROLLOUT = 'metadata["annotations"] = _rollout_annotations(placement.rollout)'


def patient(settings: Settings) -> None:
    """An update that hangs fails here after a minute, and not after the hour of a real model."""
    settings["serving"]["readyTimeoutSeconds"] = BOUND_SECONDS


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    stack = prepare(own_lab, tmp_path_factory.mktemp("without-room"), "dev", patient)
    apply(stack)
    return stack


def decode_batch(size: int) -> dict[str, Any]:
    return {"decode": {"max_batch_size": size, "cuda_graph_config": {"max_batch_size": size}}}


def test_explain_says_that_nothing_serves_while_decode_is_replaced(stack: LabStack) -> None:
    said = squeezed(run_process("explain", "dev", "--all", folder=stack.project).out)
    assert "TrtllmDecodeWorker: Recreate (pool b200 has no 4 GPUs free" in said
    assert INTERRUPTED in said


def test_another_batch_size_replaces_every_worker_and_nothing_serves_meanwhile(stack: LabStack) -> None:
    before = uid(stack)
    done = update(stack, lambda settings: settings["serving"].update(overrides=decode_batch(640)))
    done.record("batch size, no room")
    assert "every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker" in done.preview.notice
    assert f"interruption: {INTERRUPTED}" in done.preview.notice
    assert "Frontend: not touched" in done.preview.notice
    assert (done.pods.roles_created, done.pods.roles_deleted) == (WORKER_PODS, WORKER_PODS)
    assert done.pods.interruption > 0
    done.assert_engine_files_came_first_and_went_last()
    assert uid(stack) == before


def test_prefill_workers_are_added_and_removed_while_the_others_serve_on(stack: LabStack) -> None:
    before = uid(stack)
    more = update(stack, lambda settings: settings["serving"].update(replicas={"prefill": 3}))
    assert "no worker restarts: TrtllmPrefillWorker 1 -> 3 replicas, 2 pods added" in more.preview.notice
    assert (more.pods.roles_created, more.pods.roles_deleted) == (["prefill"] * 2, [])
    fewer = update(stack, lambda settings: settings["serving"].update(replicas={"prefill": 1}))
    assert "no worker restarts: TrtllmPrefillWorker 3 -> 1 replicas, 2 pods removed" in fewer.preview.notice
    assert (fewer.pods.roles_created, fewer.pods.roles_deleted) == ([], ["prefill"] * 2)
    for done in (more, fewer):
        done.record("replicas")
        assert done.pods.interruption == 0
    assert uid(stack) == before


def test_a_larger_cache_and_another_platform_value_touch_no_pod(stack: LabStack) -> None:
    def grow(settings: Settings) -> None:
        settings["modelCache"]["size"] = "200Gi"
        settings["platform"]["installTimeoutSeconds"] = 500

    done = update(stack, grow)
    done.record("cache size and platform values")
    assert "model cache: 150Gi -> 200Gi, nothing restarts" in done.preview.notice
    assert done.preview.changes.keys() >= {
        "PersistentVolumeClaim model-cache-claim",
        "Release dynamo-platform",
    }
    assert (done.pods.created, done.pods.deleted, done.pods.interruption) == ([], [], 0)
    claim = stack.lab.get("pvc", "model-cache", "-n", NAMESPACE)
    assert claim["spec"]["resources"]["requests"]["storage"] == "200Gi"


def shrink(settings: Settings) -> None:
    settings["modelCache"]["size"] = "100Gi"
    settings["serving"]["overrides"] = decode_batch(512)


def leave_out_a_minor(settings: Settings) -> None:
    settings["platform"]["version"] = "1.4.2"


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (shrink, ("modelCache.size", "docs/updates.md")),
        (leave_out_a_minor, ("supports no step that leaves out a minor release, as to 1.4.2",)),
    ],
    ids=["a smaller cache", "a release that leaves out a minor"],
)
def test_what_cannot_be_done_is_refused_before_anything_changes(
    stack: LabStack, wish: Callable[[Settings], None], says: tuple[str, ...]
) -> None:
    before = inventory(stack.lab)
    original = stack.settings()
    stack.change_settings(wish)
    try:
        answers = [stack.pulumi("preview", check=False), apply(stack, check=False)]
    finally:
        stack.write_settings(original)
    for answer in answers:
        said = squeezed(answer.stdout + answer.stderr)
        assert answer.returncode != 0
        assert all(each in said for each in says), said
        assert "Traceback" not in said
    assert inventory(stack.lab) == before


@pytest.fixture
def default_rollout(stack: LabStack) -> Iterator[None]:
    """The recipes of the copy without the annotations: the graph is rolled by the operator's own default."""
    recipes = stack.project / "recipes"
    services = recipes / "graph_manifest.py"
    recipes.unlink()
    shutil.copytree(REPOSITORY / "recipes", recipes)
    text = services.read_text()
    assert WITH_OUR_ROLLOUT in text
    services.write_text(text.replace(WITH_OUR_ROLLOUT, "pass"))
    yield
    shutil.rmtree(recipes)
    recipes.symlink_to(REPOSITORY / "recipes", target_is_directory=True)


def test_the_default_rollout_waits_for_ever_on_a_full_node_and_serves_nothing(
    stack: LabStack, default_rollout: None
) -> None:
    def with_little_patience(settings: Settings) -> None:
        settings["serving"] |= {"overrides": decode_batch(512), "readyTimeoutSeconds": HANGS_SECONDS}

    stack.change_settings(with_little_patience)
    answers: list[str] = []

    def run() -> None:
        answer = apply(stack, check=False)
        assert answer.returncode != 0
        answers.append(answer.stdout + answer.stderr)

    done = observed(stack, preview(stack), run)
    assert "Insufficient nvidia.com/gpu" in answers[0], answers[0]
    assert "Traceback" not in answers[0]
    graph = stack.lab.get(GRAPHS, DISAGGREGATED, "-n", NAMESPACE)
    [condition] = graph["status"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "rolling_update_in_progress")
    assert graph["status"]["rollingUpdate"]["phase"] == "InProgress"
    # Prefill had room and moved on; decode did not, and generations do not serve together.
    assert done.pods.roles_deleted == ["prefill"]
    assert not done.pods.serves
    pods = pods_of(stack.lab, DISAGGREGATED, NAMESPACE)
    assert sorted(pod["status"]["phase"] for pod in pods["decode"]) == ["Pending", "Running"]


def test_going_back_in_the_middle_of_a_rollout_serves_again_at_once(stack: LabStack) -> None:
    def go_back(settings: Settings) -> None:
        settings["serving"]["overrides"] = decode_batch(640)
        patient(settings)

    before = uid(stack)
    done = update(stack, go_back)
    done.record("going back in the middle of an update")
    # The serving decode worker stays; what the update had made goes (ai-dynamo/dynamo#13620).
    assert (done.pods.roles_created, done.pods.roles_deleted) == (["prefill"], WORKER_PODS)
    assert uid(stack) == before
    stack.pulumi("preview", "--expect-no-changes")


def test_another_recipe_that_does_not_fit_beside_the_old_one_comes_after_it_has_gone(stack: LabStack) -> None:
    def aggregate(settings: Settings) -> None:
        serving = settings["serving"]
        del serving["overrides"], serving["kvTransport"], serving["replicas"]
        serving["recipe"] = "gpt-oss-120b/trtllm-agg"

    before = uid(stack)
    done = update(stack, aggregate)
    done.record("another recipe, no room for both")
    notice = done.preview.notice
    assert f"another graph: {DISAGGREGATED} is deleted, then {AGGREGATED} is created" in notice
    assert "interruption: nothing serves from the moment the old graph ends" in notice
    assert done.pods.roles_deleted == ["decode", "frontend", "prefill"]
    assert done.pods.roles_created == ["frontend", "worker"]
    assert done.pods.interruption > 0
    assert uid(stack, AGGREGATED) != before
