"""The shipped stacks serve: the rendered graph, the real runtime, and a mock engine."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil
import pytest
import yaml

from lab import cluster, processes, report
from lab.answer import TOKENS, first_answer
from lab.directory import REPOSITORY
from tests.serving.etcd_discovery import discover_by_etcd
from tests.serving_stacks.pods import pods_of
from tests.serving_stacks.rehearsal import rehearsed
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

FIXTURES = REPOSITORY / "lab/fixtures"
DEADLINE_SECONDS = 30.0
# Ten on an idle machine, of which the product promises at most fifteen; here others may be at work.
SMOKE_SECONDS = 45.0
MODEL, NAMESPACE = "openai/gpt-oss-120b", "gpt-oss"
BY_ETCD = "disagg-b200 by etcd"
SPLIT = ("gpt-oss-disagg", {"tensorrt_llm.generate", "prefill.generate"})
STACKS = {
    "agg-gb200": ("gpt-oss-agg", {"tensorrt_llm.generate"}),
    "disagg-b200": SPLIT,
    BY_ETCD: SPLIT,
    "dev": SPLIT,
    "disagg-gb200": SPLIT,
    "vllm-agg-b200": ("gpt-oss-vllm", {"backend.generate"}),
    "vllm-agg-h200": ("gpt-oss-vllm", {"backend.generate"}),
    "vllm-disagg-h100": ("gpt-oss-vllm-disagg", {"backend.generate", "prefill.generate"}),
}
MACHINES = {"vllm-agg-h200": "p5en-0", "vllm-disagg-h100": "p5-0"}
"""Nodes that the lab's cluster has not by itself."""
EVERY_STACK = pytest.mark.parametrize("served", list(STACKS), indirect=True, scope="module")
# What is about processes behind pods is the same in each: one aggregated stack and one that is split. The
# first two of all, or pytest would bring them up a second time.
ONE_OF_EACH_KIND = pytest.mark.parametrize("served", list(STACKS)[:2], indirect=True, scope="module")


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


@contextmanager
def machine(lab: Sandbox, name: str | None) -> Iterator[None]:
    """One more node of the lab's cluster."""
    nodes = yaml.safe_load_all((FIXTURES / "other_nodes.yaml").read_text(encoding="utf-8"))
    wanted = [node for node in nodes if node["metadata"]["name"] == name]
    for node in wanted:
        lab.kubectl("apply", "-f", "-", stdin=json.dumps(node))
    yield
    for node in wanted:
        lab.kubectl("delete", "node", node["metadata"]["name"])


@pytest.fixture(scope="module")
def served(
    request: pytest.FixtureRequest, serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    graph, roles = STACKS[request.param]
    name, change = request.param, None
    if name == BY_ETCD:
        name, change = "disagg-b200", discover_by_etcd
    with (
        machine(serving_lab, MACHINES.get(name)),
        rehearsed(serving_lab, tmp_path_factory.mktemp("served"), name, change) as stack,
    ):
        url = report.frontends(serving_lab.directory)[NAMESPACE, graph]
        yield Served(stack, graph, url, roles)


@EVERY_STACK
def test_a_question_is_answered_as_soon_as_up_has_ended(served: Served) -> None:
    answer = first_answer(served.url)
    assert answer.model == MODEL
    assert answer.body["usage"]["completion_tokens"] == TOKENS
    assert answer.body["choices"][0]["message"]["content"]


@EVERY_STACK
def test_health_lists_every_role(served: Served) -> None:
    with urllib.request.urlopen(f"{served.url}/health", timeout=10) as answer:  # noqa: S310 - the lab's own
        endpoints = {each.split(".", 1)[1] for each in json.load(answer)["endpoints"]}
    assert {each for each in endpoints if each.endswith(".generate")} == served.roles


@EVERY_STACK
def test_the_smoke_test_finds_nothing_wrong(served: Served) -> None:
    ran = served.stack.dynamo_stack("smoke", served.stack.name, "--json", check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(ran.stdout)
    print(f"smoke of {served.stack.name}: {found['seconds']:.1f} s")
    assert found["mockEngine"] is True
    assert {each["name"]: each["verdict"] for each in found["checks"]} == {
        **dict.fromkeys(("frontend", "workers", "model", "chat", "stream", "responses"), "good"),
        **dict.fromkeys(("tool-call", "reasoning-low", "reasoning-high"), "mock"),
        "first-token": "mock" if "prefill.generate" in served.roles else "not-run",
    }
    assert found["seconds"] <= SMOKE_SECONDS


@ONE_OF_EACH_KIND
def test_logs_and_exec_reach_the_pod_s_process(served: Served) -> None:
    [frontend, *_] = served.pods("frontend")
    name = frontend["metadata"]["name"]
    logs = served.stack.lab.kubectl("logs", "-n", NAMESPACE, name).stdout
    assert MODEL in logs
    answer = served.stack.lab.kubectl("exec", "-n", NAMESPACE, name, "--", "python3", "--version")
    assert answer.stdout.startswith("Python 3.")


@ONE_OF_EACH_KIND
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


@ONE_OF_EACH_KIND
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


@ONE_OF_EACH_KIND
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


@ONE_OF_EACH_KIND
def test_a_second_up_finds_nothing_to_do(served: Served) -> None:
    served.stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
