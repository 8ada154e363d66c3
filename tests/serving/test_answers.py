"""The shipped stacks serve: the rendered graph, the real runtime, and a mock engine."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from lab import cluster, processes, report
from lab.answer import TOKENS, first_answer
from tests.serving_stacks.pods import pods_of
from tests.serving_stacks.rehearsal import rehearsed
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

DEADLINE_SECONDS = 30.0
MODEL, NAMESPACE = "openai/gpt-oss-120b", "gpt-oss"
STACKS = {
    "disagg-b200": ("gpt-oss-disagg", {"tensorrt_llm.generate", "prefill.generate"}),
    "disagg-gb200": ("gpt-oss-disagg", {"tensorrt_llm.generate", "prefill.generate"}),
    "agg-gb200": ("gpt-oss-agg", {"tensorrt_llm.generate"}),
}


@dataclass(frozen=True)
class Served:
    """A stack that is up, with its graph and the address of its frontend."""

    stack: LabStack
    graph: str
    url: str
    roles: set[str]

    def pods(self, role: str) -> list[dict[str, Any]]:
        """The pods of one component type."""
        return pods_of(self.stack.lab, self.graph, NAMESPACE).get(role, [])

    def processes(self, pod: str) -> list[psutil.Process]:
        """The processes of a pod, found by the variable that only they have."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("POD_NAME") == pod:
                    found.append(process)
            except psutil.Error:
                continue
        return found


@pytest.fixture(scope="module", params=sorted(STACKS))
def served(
    request: pytest.FixtureRequest, serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    graph, roles = STACKS[request.param]
    with rehearsed(serving_lab, tmp_path_factory.mktemp("served"), request.param) as stack:
        url = report.frontends(serving_lab.directory)[NAMESPACE, graph]
        yield Served(stack, graph, url, roles)


def test_a_question_is_answered_as_soon_as_up_has_ended(served: Served) -> None:
    answer = first_answer(served.url)
    assert answer.model == MODEL
    assert answer.body["usage"]["completion_tokens"] == TOKENS
    assert answer.body["choices"][0]["message"]["content"]


def test_health_lists_every_role(served: Served) -> None:
    with urllib.request.urlopen(f"{served.url}/health", timeout=10) as answer:  # noqa: S310 - the lab's own
        endpoints = {each.split(".", 1)[1] for each in json.load(answer)["endpoints"]}
    assert {each for each in endpoints if each.endswith(".generate")} == served.roles


def test_logs_and_exec_reach_the_pod_s_process(served: Served) -> None:
    [frontend, *_] = served.pods("frontend")
    name = frontend["metadata"]["name"]
    logs = served.stack.lab.kubectl("logs", "-n", NAMESPACE, name).stdout
    assert MODEL in logs
    answer = served.stack.lab.kubectl("exec", "-n", NAMESPACE, name, "--", "python3", "--version")
    assert answer.stdout.startswith("Python 3.")


def test_a_forwarded_port_leads_to_the_frontend(served: Served) -> None:
    lab = served.stack.lab
    command = [str(lab.directory.bin / "kubectl"), "port-forward", "-n", NAMESPACE]
    command += [f"svc/{served.graph}-frontend", ":8000"]
    forwarding = subprocess.Popen(command, env=lab.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert forwarding.stdout is not None
        port = forwarding.stdout.readline().split("127.0.0.1:")[1].split()[0]
        assert first_answer(f"http://127.0.0.1:{port}").model == MODEL
    finally:
        forwarding.kill()
        forwarding.wait()


def test_a_worker_that_is_killed_is_started_again_and_serves(served: Served) -> None:
    role = "decode" if "prefill.generate" in served.roles else "worker"
    [pod, *_] = served.pods(role)
    name = pod["metadata"]["name"]
    before = {each.pid for each in served.processes(name)}
    assert before
    for process in served.processes(name):
        process.kill()

    def restarted() -> bool:
        found = served.stack.lab.get("pod", name, "-n", NAMESPACE)["status"]["containerStatuses"]
        return all(each["restartCount"] == 1 and each["ready"] for each in found)

    until(restarted, "the container started again")
    assert not before & {each.pid for each in served.processes(name)}
    assert first_answer(served.url).model == MODEL


def test_a_kubelet_that_is_killed_takes_its_processes_along_and_the_next_one_serves_again(
    served: Served,
) -> None:
    [frontend, *_] = served.pods("frontend")
    name = frontend["metadata"]["name"]
    directory = served.stack.lab.directory
    kubelet = processes.find(directory, processes.KUBELET)
    assert kubelet is not None
    kubelet.kill()
    kubelet.wait(DEADLINE_SECONDS)
    until(lambda: served.processes(name) == [], "the end of the frontend's process")
    cluster.up(directory, say=print, serving=True)
    assert first_answer(served.url).model == MODEL
    [status] = served.stack.lab.get("pod", name, "-n", NAMESPACE)["status"]["containerStatuses"]
    # More than one where the frontend starts before NATS, without which it ends.
    assert status["restartCount"] >= 1


def test_a_second_up_finds_nothing_to_do(served: Served) -> None:
    served.stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
