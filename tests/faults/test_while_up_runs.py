"""What goes wrong while `up` runs: what a person reads, and that the runbook's commands finish it."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lab import control_plane, processes
from lab.dra_driver.slices import slice_name
from lab.dynamo_operator import switches
from lab.kubernetes_provider.readiness import SHORTER_VOLUME_WAIT
from tests.faults.conftest import (
    GRAPH,
    GRAPHS,
    NAMESPACE,
    ask_for,
    is_ready,
)
from tests.operations.doctor.first_line import sick
from tests.serving_stacks.rehearsal import prepare
from tests.support.faults import jobs, nodes
from tests.support.lab_stack import GRAPH_LABEL, LabStack, replicas_of
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

CLASS = "shared-files"
JOB = "model-download"
SYSTEM_NODES = ("system-0", "system-1", "system-2")
_CONVERSIONS = "apiserver_crd_conversion_webhook_duration_seconds"
CONTROL_PLANE = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
"""They end together, as on a machine whose kubelet starts again what has lost its lease. Left alone, each
watch of a controller would wait for a minute before its next try."""
LAST_WORDS = "401 Client Error. Repository Not Found"


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """A stack for production, whose cache is protected, before its first `up`."""

    def for_production(settings: dict[str, Any]) -> None:
        settings["lifecycle"] = "production"

    return prepare(own_lab, tmp_path_factory.mktemp("faults"), "dev", for_production)


def _switch(stack: LabStack, name: str) -> Path:
    file = stack.lab.directory.switches / name
    file.touch()
    return file


def _keep_files_in(stack: LabStack, storage_class: str) -> None:
    stack.change_settings(lambda settings: settings["modelCache"].update(storageClassName=storage_class))


def test_a_cache_of_a_class_that_does_not_exist_says_so_and_another_class_brings_the_stack_up(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    _keep_files_in(stack, "fast-files")
    said = stack.failing_up(variables={SHORTER_VOLUME_WAIT: "8"})
    assert "The wait for claim model-cache ended." in said
    assert "there is no storage class fast-files; the cluster has gp3, shared-files" in said
    assert "docs/runbook/cache-volume-unbound.md" in said
    assert re.search(r"claim model-cache: .*fast-files", sick(stack))
    _keep_files_in(stack, CLASS)
    for command in commands("cache-volume-unbound"):
        typed(stack, command)
    assert is_ready(stack)
    fault("one command of a person, then the rest of the first `up`")


def test_a_download_that_used_up_its_attempts_says_its_last_words_and_the_next_up_starts_it_again(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    stack.lab.kubectl("delete", "job", JOB, "-n", NAMESPACE, "--timeout=30s")
    # Kept from the nodes, no pod is started by kwok, whose containers all succeed.
    stack.lab.kubectl("cordon", *SYSTEM_NODES)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(stack.failing_up, "--refresh")
        jobs.fail_attempts(stack.lab, NAMESPACE, JOB, 4, LAST_WORDS)
        said = running.result()
    assert "it failed for good: BackoffLimitExceeded" in said
    assert f"download terminated, Error {LAST_WORDS}" in said
    assert "docs/runbook/download-failed.md" in said
    assert f"the download of the model (Job {JOB}) failed for good" in sick(stack)
    describe, _, again = commands("download-failed")
    assert LAST_WORDS in typed(stack, describe, JOB=JOB).stdout
    failed = stack.lab.get("job", JOB, "-n", NAMESPACE)["metadata"]["uid"]
    with ThreadPoolExecutor() as pool:
        running = pool.submit(typed, stack, again)
        until(lambda: _uid_of_job(stack) not in {failed, None}, "a new Job", cluster=stack.lab.directory)
        # Within its attempts a Job needs nobody.
        jobs.fail_attempts(stack.lab, NAMESPACE, JOB, 3, LAST_WORDS)
        stack.lab.kubectl("uncordon", *SYSTEM_NODES)
        running.result()
    assert is_ready(stack)
    fault("70 s of pauses between attempts, which the lab leaves out; the load of the model")


def test_up_waits_out_an_api_server_that_is_restarted_and_so_do_the_controllers(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    switch = _switch(stack, switches.GRAPH_NEVER_READY)
    ask_for(stack, frontends=2)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(stack.pulumi, "up", "--yes", "--skip-preview")
        # By then the engine has had the answer to its change, and waits for the graph.
        until(
            lambda: _ready_frontends(stack) == 2,
            "the frontends of the changed graph",
            cluster=stack.lab.directory,
        )
        control_plane.kill(stack.lab.directory, CONTROL_PLANE)
        time.sleep(2)
        control_plane.start_what_ended(stack.lab.directory)
        switch.unlink()
        running.result()
    assert is_ready(stack)
    ready, again = commands("api-server-restarted")
    assert typed(stack, ready).stdout.strip() == "ok"
    typed(stack, again)
    assert stack.changes() == {}
    found = {each.name: processes.find(stack.lab.directory, each) for each in processes.STAND_INS}
    # None of them ended, and was started again.
    assert {name for name, each in found.items() if each is None or each.restarts} == set()
    # The DRA driver's watches were cut as well; a new tray still gets its slice.
    nodes.join_clique(stack.lab, "a-clique.1", "p6e-gb200-0", "p6e-gb200-2")
    stack.lab.kubectl("wait", "--for=create", f"resourceslice/{slice_name('p6e-gb200-2')}", "--timeout=60s")
    fault("none: `up` asks again until its own deadline")


def test_a_doctor_who_gets_no_answer_of_the_api_server_says_so_and_what_to_try(stack: LabStack) -> None:
    control_plane.kill(stack.lab.directory, CONTROL_PLANE)
    answer = stack.dynamo_stack("doctor", "dev", check=False)
    control_plane.start_what_ended(stack.lab.directory)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("stack dev could not be looked at: the API server does not answer: ")
    assert "try: `kubectl --context dynamo-lab get pods --namespace gpt-oss`" in answer.stderr


def test_up_waits_out_an_operator_that_is_restarted_just_when_the_graph_changes(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    switch = _switch(stack, switches.WEBHOOK_NOT_READY)
    ask_for(stack, frontends=1)
    until(lambda: not _webhook_answers(stack), "a silent webhook")
    before = _unanswered_calls(stack)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(stack.pulumi, "up", "--yes", "--skip-preview")
        until(lambda: _unanswered_calls(stack) > before, "a try of `up` that gets no answer")
        switch.unlink()
        running.result()
    assert is_ready(stack)
    assert _frontends(stack) == 1
    fault("none: `up` asks again for half a minute")


def test_a_webhook_that_does_not_answer_is_told_and_a_restart_of_the_operator_lets_up_finish(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    switch = _switch(stack, switches.WEBHOOK_NOT_READY)
    ask_for(stack, frontends=2)
    until(lambda: not _webhook_answers(stack), "a silent webhook")
    said = stack.failing_up()
    assert "the platform's webhook does not answer yet; nothing is lost" in said
    assert "docs/runbook/webhook-down.md" in said
    assert "the operator's webhook does not answer, and no graph can be read or changed" in sick(stack)
    look, restart, *rest = commands("webhook-down")
    assert "Running" in typed(stack, look).stdout
    switch.unlink()
    for command in (restart, *rest):
        typed(stack, command)
    assert is_ready(stack)
    fault("seconds after the operator's restart")


def test_a_graph_that_never_becomes_ready_ends_its_wait_with_the_operators_words(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    switch = _switch(stack, switches.GRAPH_NEVER_READY)
    ask_for(stack, frontends=1, ready_seconds=5)
    said = stack.failing_up()
    assert "The wait for graph gpt-oss-disagg ended." in said
    assert "every pod is ready, but the operator says: some_resources_are_not_ready" in said
    assert "docs/runbook/graph-never-ready.md" in said
    switch.unlink()
    for command in commands("graph-never-ready"):
        typed(stack, command, GRAPH=GRAPH)
    assert is_ready(stack)
    fault("seconds after the operator's restart")


def _uid_of_job(stack: LabStack) -> str | None:
    found = stack.lab.get("jobs", "-n", NAMESPACE)["items"]
    return next((job["metadata"]["uid"] for job in found if job["metadata"]["name"] == JOB), None)


def _frontends(stack: LabStack) -> int:
    return replicas_of(stack.lab, "Frontend", GRAPH, NAMESPACE)


def _ready_frontends(stack: LabStack) -> int:
    frontends = f"{GRAPH_LABEL}={GRAPH},nvidia.com/dynamo-component-type=frontend"
    pods = stack.lab.get("pods", "-n", NAMESPACE, "-l", frontends)["items"]
    return sum(
        condition["type"] == "Ready" and condition["status"] == "True"
        for pod in pods
        for condition in pod["status"].get("conditions", [])
    )


def _unanswered_calls(stack: LabStack) -> float:
    """How often the API server got no answer from a webhook, of either kind, as its own metrics count it."""
    metrics = stack.lab.kubectl("get", "--raw", "/metrics").stdout.splitlines()
    counts = [
        line.rpartition(" ")[2]
        for line in metrics
        if (
            line.startswith("apiserver_admission_webhook_rejection_count") and "calling_webhook_error" in line
        )
        or (line.startswith(f"{_CONVERSIONS}_count") and 'succeeded="false"' in line)
    ]
    return sum(map(float, counts))


def _webhook_answers(stack: LabStack) -> bool:
    """Whether an update that changes nothing is let through."""
    answer = stack.lab.kubectl(
        "annotate", GRAPHS, GRAPH, "-n", NAMESPACE, "probe=", "--overwrite", "--dry-run=server", check=False
    )
    return answer.returncode == 0
