"""Stack dev serves: the rendered graph, the real runtime, and a mock engine.

Discovery by etcd is tried in test_etcd.py, workers of vLLM that share a pod in test_one_pod.py; the command
lines of all shipped stacks are read in test_command_lines.py.
"""

import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil
import pytest

from lab import processes, report
from lab.answer import TOKENS, first_answer
from tests.serving.conftest import BroughtUp
from tests.serving.pod_processes import processes_of
from tests.serving.smoke_verdicts import GOOD, smoke_verdicts
from tests.serving_stacks.pods import pods_of
from tests.support.lab_stack import LabStack
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

MODEL, NAMESPACE, GRAPH = "openai/gpt-oss-120b", "gpt-oss", "gpt-oss-disagg"


@dataclass(frozen=True)
class Served:
    """A stack that is up, with the address of its frontend."""

    stack: LabStack
    url: str

    def pods(self, role: str) -> list[dict[str, Any]]:
        """The pods of one component type."""
        return pods_of(self.stack.lab, GRAPH, NAMESPACE).get(role, [])


@pytest.fixture(scope="module")
def served(brought_up: BroughtUp) -> Served:
    stack = brought_up("dev")
    return Served(stack, report.frontends(stack.lab.directory)[NAMESPACE, GRAPH])


@pytest.mark.essential
def test_a_question_is_answered_as_soon_as_up_has_ended(served: Served) -> None:
    answer = first_answer(served.url)
    assert answer.model == MODEL
    assert answer.body["usage"]["completion_tokens"] == TOKENS
    assert answer.body["choices"][0]["message"]["content"]


def test_the_smoke_test_finds_nothing_wrong(served: Served) -> None:
    assert smoke_verdicts(served.stack) == GOOD


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
    command += [f"svc/{GRAPH}-frontend", ":8000"]
    forwarding = subprocess.Popen(command, env=lab.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert forwarding.stdout is not None
        port = forwarding.stdout.readline().split("127.0.0.1:")[1].split()[0]
        assert first_answer(f"http://127.0.0.1:{port}").model == MODEL
    finally:
        forwarding.kill()
        forwarding.wait()


def test_a_worker_that_is_killed_is_started_again_and_serves(served: Served) -> None:
    [pod] = served.pods("decode")
    name = pod["metadata"]["name"]
    before = {each.pid for each in processes_of(name)}
    assert before
    for process in processes_of(name):
        # With the first of them the kubelet ends the others, which may be before their turn.
        with suppress(psutil.NoSuchProcess):
            process.kill()

    def restarted() -> bool:
        found = served.stack.lab.get("pod", name, "-n", NAMESPACE)["status"]["containerStatuses"]
        # Once more where its liveness probe, one of which is enough, has no answer on a busy machine.
        return all(each["restartCount"] >= 1 and each["ready"] for each in found)

    until(restarted, "the container started again")
    assert not before & {each.pid for each in processes_of(name)}
    assert first_answer(served.url).model == MODEL


def test_a_kubelet_that_is_killed_takes_its_processes_along_and_the_next_one_serves_again(
    served: Served,
) -> None:
    [frontend, *_] = served.pods("frontend")
    name = frontend["metadata"]["name"]
    directory = served.stack.lab.directory
    kubelet = processes.find(directory, processes.KUBELET)
    assert kubelet is not None
    before = {each.pid for each in processes_of(name)}
    psutil.Process(kubelet.pid).kill()
    until(lambda: not any(map(psutil.pid_exists, before)), "the end of the frontend's process")
    until(lambda: processes_of(name) != [], "its next process, of the kubelet that was started again")
    assert first_answer(served.url).model == MODEL
    [status] = served.stack.lab.get("pod", name, "-n", NAMESPACE)["status"]["containerStatuses"]
    # More than one where the frontend starts before NATS, without which it ends.
    assert status["restartCount"] >= 1


def test_a_second_up_finds_nothing_to_do(served: Served) -> None:
    served.stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
