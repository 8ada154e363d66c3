"""A Job from its creation to its end, with a kubectl that answers what a test says."""

import json
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from operations.benchmark import job_run
from operations.benchmark.job_run import BenchmarkJob
from operations.errors import CommandError
from recipes.benchmark_job import RESULT_FOLLOWS
from tests.operations.fake_cluster import FakeCluster

DEADLINE_SECONDS = 60
NAME = "gpt-oss-120b-bench"
MANIFEST: dict[str, Any] = {
    "metadata": {"name": NAME, "namespace": "gpt-oss"},
    "spec": {"activeDeadlineSeconds": DEADLINE_SECONDS, "template": {"spec": {}}},
}
TWO_RESULTS = f"Profiling: 3/20 |\n{RESULT_FOLLOWS} 1\n{{\n}}\n\n{RESULT_FOLLOWS} 2\n{{\n}}\n"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """A Job that has no pod yet, and no event."""
    objects: dict[str, Any] = {"jobs": [{"status": {}}], "others": [], "events": []}
    return FakeCluster(tmp_path, objects).answer_in(monkeypatch)


def pod(phase: str, state: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    states = [] if state is None else [{"name": "benchmark", "state": state}]
    return {
        "metadata": {"name": f"{NAME}-x7k2p"},
        "spec": {},
        "status": {"phase": phase, "containerStatuses": states, **status},
    }


def _run(cluster: FakeCluster, pause: Any = lambda _: None) -> list[object]:
    """What the Job tells, in order; a result is a list."""
    told: list[object] = []
    shown: Any = SimpleNamespace(said=told.append, moved=told.append)
    BenchmarkJob(cluster.commands, MANIFEST, 2, shown, lambda text: told.append([text]), pause=pause).run()
    return told


def _failure(cluster: FakeCluster) -> str:
    with pytest.raises(CommandError) as failed:
        _run(cluster)
    return str(failed.value)


def test_a_job_of_this_run_alone_is_created_followed_and_deleted(cluster: FakeCluster) -> None:
    cluster.objects["others"] = [pod("Succeeded")]
    cluster.say("logs", TWO_RESULTS)
    first, *middle, last = _run(cluster)
    assert first == f"Job {NAME} created; it is deleted when this command ends"
    assert middle == [("Profiling", 3, 20), ["{\n}"], ["{\n}"]]
    assert last == f"Job {NAME} deleted"
    created = json.loads((cluster.folder / "created.json").read_text(encoding="utf-8"))
    [(key, value)] = created["metadata"]["labels"].items()
    [deleted] = cluster.typed("delete")
    assert f" delete jobs --namespace gpt-oss --selector {key}={value} " in deleted
    # The pod of a Job of the same name that was just deleted is not taken for its own.
    assert created["spec"]["template"]["metadata"]["labels"] == {key: value}
    pods = [asked for asked in cluster.questions if " pods " in asked]
    assert all(asked.endswith(f" {key}={value}") for asked in pods)
    assert pods


def test_a_job_of_somebody_else_is_left_alone_and_named(cluster: FakeCluster) -> None:
    cluster.say("create.refused", f'Error from server (AlreadyExists): jobs.batch "{NAME}" already exists')
    said = _failure(cluster)
    assert said.startswith(f"Job {NAME} is in the cluster already: two at a time would measure each other")
    assert f"`kubectl --context dynamo-lab delete job {NAME} --namespace gpt-oss`" in said
    assert cluster.typed("delete") == []


UNSCHEDULED = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes: Insufficient cpu"}
NO_IMAGE = {"waiting": {"reason": "ImagePullBackOff", "message": "no such host"}}


@pytest.mark.parametrize(
    ("pods", "files", "said"),
    [
        pytest.param(
            [],
            {"create.refused": "Error from server (Forbidden): jobs.batch is forbidden"},
            "Error from server (Forbidden): jobs.batch is forbidden",
            id="refused by the server",
        ),
        pytest.param(
            [pod("Pending", conditions=[UNSCHEDULED])],
            {},
            f"Job {NAME} did not start within 0 s: {NAME}-x7k2p: Pending, 0/3 nodes: Insufficient cpu",
            id="no node",
        ),
        pytest.param(
            [pod("Pending", NO_IMAGE) | {"spec": {"nodeName": "system-0"}}],
            {},
            f"Job {NAME} did not start within 0 s: {NAME}-x7k2p: benchmark waiting, ImagePullBackOff no such",
            id="no image",
        ),
        pytest.param(
            [pod("Failed", {"terminated": {"exitCode": 1, "reason": "Error"}})],
            {"logs": "08:23:22.382 ERROR    no such host\n", "failed": "BackoffLimitExceeded"},
            f"Job {NAME} failed (exit code 1, Error): no such host",
            id="AIPerf failed",
        ),
        pytest.param(
            [pod("Running", {"running": {}})],
            {"failed": "DeadlineExceeded"},
            f"Job {NAME} failed: DeadlineExceeded, active too long\n"
            "  try: a longer --time-limit, fewer --requests, or a lower --concurrency",
            id="over its deadline",
        ),
        pytest.param(
            [pod("Succeeded")],
            {},
            f"Job {NAME} ended well, but its log holds 0 of 2 results\n"
            "  Where pods are simulated no container of a Job runs: measure with --from-here there.",
            id="no results",
        ),
        pytest.param(
            [pod("Succeeded")],
            {"logs": f"{RESULT_FOLLOWS} 2\n{{\n}}\n"},
            f"Job {NAME} ended well, but its log holds 0 of 2 results",
            id="the first result thrown away by the node",
        ),
    ],
)
def test_a_job_that_measures_nothing_is_deleted_and_its_reason_named(
    pods: list[Any], files: dict[str, str], said: str, cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patience in ("_NODE_SECONDS", "_START_SECONDS"):
        monkeypatch.setattr(job_run, patience, 0)
    cluster.objects["others"] = pods
    for name, text in files.items():
        cluster.say(name, text)
    if reason := files.get("failed"):
        failed = {"type": "Failed", "status": "True", "reason": reason, "message": "active too long"}
        cluster.objects["jobs"] = [{"status": {"conditions": [failed]}}]
    assert said in _failure(cluster)
    assert cluster.typed("delete")


def test_a_job_that_somebody_deleted_is_not_waited_for(cluster: FakeCluster) -> None:
    cluster.objects["others"] = [pod("Running", {"running": {}})]
    cluster.objects["jobs"] = []
    assert _failure(cluster) == f"Job {NAME} is gone: somebody deleted it"


def test_what_it_waits_for_is_said_once(cluster: FakeCluster) -> None:
    cluster.say("logs", TWO_RESULTS)
    looks: list[float] = []

    def pause(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            cluster.objects["others"] = [pod("Succeeded")]

    told = _run(cluster, pause=pause)
    assert told[1:3] == [f"Job {NAME} waits: it has no pod yet", ("Profiling", 3, 20)]


def test_a_log_that_broke_off_is_read_again_and_no_result_told_twice(cluster: FakeCluster) -> None:
    cluster.objects["others"] = [pod("Running", {"running": {}})]
    cluster.say("logs", f"{RESULT_FOLLOWS} 1\n{{\n}}\n")

    def pause(_: float) -> None:
        cluster.objects["others"] = [pod("Succeeded")]
        cluster.say("logs", TWO_RESULTS)

    told = _run(cluster, pause=pause)
    assert [each for each in told if isinstance(each, list)] == [["{\n}"], ["{\n}"]]


def test_what_a_log_that_stays_open_did_not_bring_is_read_when_the_job_has_ended(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_run, "_SILENT_SECONDS", 1)
    cluster.objects["others"] = [pod("Succeeded")]
    cluster.say("followed", f"{RESULT_FOLLOWS} 1\n{{\n}}\n")
    cluster.say("logs", TWO_RESULTS)
    cluster.say("endless", "")
    assert [each for each in _run(cluster) if isinstance(each, list)] == [["{\n}"], ["{\n}"]]


def test_a_log_that_never_ends_is_left_at_the_deadline(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_run, "_END_SECONDS", 1 - DEADLINE_SECONDS)
    cluster.objects["others"] = [pod("Running", {"running": {}})]
    cluster.say("endless", "")
    assert _failure(cluster).startswith(f"Job {NAME} had not ended ")
    assert cluster.typed("delete")


def test_ctrl_c_deletes_the_job(cluster: FakeCluster) -> None:
    cluster.objects["others"] = [pod("Running", {"running": {}})]
    cluster.say("logs", TWO_RESULTS)
    cluster.say("endless", "")

    def press_ctrl_c(_: str) -> None:
        signal.raise_signal(signal.SIGINT)

    silent: Any = SimpleNamespace(said=str, moved=str)
    with pytest.raises(KeyboardInterrupt):
        BenchmarkJob(cluster.commands, MANIFEST, 2, silent, press_ctrl_c).run()
    assert cluster.typed("delete")


def test_a_job_that_cannot_be_deleted_is_named_with_the_command(cluster: FakeCluster) -> None:
    cluster.objects["others"] = [pod("Succeeded")]
    cluster.say("logs", TWO_RESULTS)
    cluster.say("delete.refused", "Unable to connect to the server")
    assert _run(cluster)[-1] == (
        f"Job {NAME} may still run (Unable to connect to the server): "
        f"`kubectl --context dynamo-lab delete job {NAME} --namespace gpt-oss`"
    )
