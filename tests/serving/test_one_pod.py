"""Prefill and decode as processes of one pod: both are registered, and the pod starts again with the first
of them that ends."""

import json
from typing import Any

import psutil
import pytest
import yaml

from lab import report
from lab.answer import first_answer
from lab.directory import REPOSITORY
from tests.serving.conftest import BroughtUp
from tests.serving.smoke_verdicts import GOOD, smoke_verdicts
from tests.serving_stacks.pods import pods_of
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

STACK, NODE = "vllm-disagg-h100", "p5-0"
NAMESPACE, GRAPH, MODEL = "gpt-oss", "gpt-oss-vllm-disagg", "openai/gpt-oss-120b"


@pytest.fixture(scope="module")
def stack(own_serving_lab: Sandbox, brought_up: BroughtUp) -> LabStack:
    """The stack, and the machine that the lab's cluster has not by itself."""
    nodes = yaml.safe_load_all((REPOSITORY / "lab/fixtures/other_nodes.yaml").read_text(encoding="utf-8"))
    [node] = [node for node in nodes if node["metadata"]["name"] == NODE]
    own_serving_lab.kubectl("apply", "-f", "-", stdin=json.dumps(node))
    return brought_up(STACK)


def _pod(stack: LabStack) -> dict[str, Any]:
    [pod] = pods_of(stack.lab, GRAPH, NAMESPACE)["worker"]
    return pod


def _workers(pod: dict[str, Any]) -> dict[str, psutil.Process]:
    """The engines of the pod by the container under whose name they register."""
    found: dict[str, psutil.Process] = {}
    for process in psutil.process_iter():
        try:
            variables, words = process.environ(), process.cmdline()
        except psutil.Error:
            continue
        if variables.get("POD_NAME") == pod["metadata"]["name"] and "--disaggregation-mode" in words:
            found[words[words.index("--disaggregation-mode") + 1]] = process
    return found


def test_both_workers_of_the_pod_are_registered_and_a_request_passes_through_them(stack: LabStack) -> None:
    assert smoke_verdicts(stack) == GOOD
    assert first_answer(report.frontends(stack.lab.directory)[NAMESPACE, GRAPH]).model == MODEL


def test_each_worker_sees_its_own_gpus_first_and_writes_under_a_name_of_its_own(stack: LabStack) -> None:
    pod = _pod(stack)
    workers = _workers(pod)
    assert workers.keys() == {"prefill", "decode"}
    visible = {role: process.environ()["CUDA_VISIBLE_DEVICES"] for role, process in workers.items()}
    assert visible == {"prefill": "0,1,2,3,4,5,6,7", "decode": "4,5,6,7,0,1,2,3"}
    written = stack.lab.get("dynamoworkermetadatas.nvidia.com", "-n", NAMESPACE)["items"]
    name = pod["metadata"]["name"]
    assert {name, f"{name}-prefill"} <= {each["metadata"]["name"] for each in written}


def test_each_worker_binds_the_ports_that_its_engine_would_and_none_of_its_neighbour_s(
    stack: LabStack,
) -> None:
    listening = {
        role: {
            each.laddr.port
            for each in process.net_connections("tcp")
            if each.status == psutil.CONN_LISTEN and each.laddr
        }
        for role, process in _workers(_pod(stack)).items()
    }
    assert {20380, 5600} <= listening["prefill"]
    assert {20480, 5700} <= listening["decode"]


def test_a_prefill_worker_that_is_killed_ends_the_container_which_starts_again_and_serves(
    stack: LabStack,
) -> None:
    pod = _pod(stack)
    name, before = pod["metadata"]["name"], _workers(pod)

    def container(which: str) -> dict[str, Any]:
        statuses = stack.lab.get("pod", name, "-n", NAMESPACE)["status"]["containerStatuses"]
        return next(each for each in statuses if each["name"] == which)

    starts = container("main")["restartCount"]
    # Workers finish their requests for a minute and load a model for minutes; mocks are back in about the
    # four seconds after which the kubelet calls the killed one unready. A frontend before 1.4 keeps the
    # address of a worker that it has not seen go (ai-dynamo/dynamo#12566, #12574), so decode is held as by a
    # long request.
    before["decode"].suspend()
    before["prefill"].kill()
    until(lambda: not container("prefill")["ready"], "the killed worker is taken from the frontend")
    before["decode"].resume()
    until(lambda: container("main")["restartCount"] > starts, "the next start of the container")
    # Before a liveness probe can have ended it once more, as on a busy machine.
    ended = container("main")["lastState"]["terminated"]
    until(lambda: container("main")["ready"], "the container is ready again")
    assert ended["exitCode"] == 137
    assert "supervisor: prefill ended first, with code 137" in ended["message"]
    assert not {each.pid for each in before.values()} & {each.pid for each in _workers(pod).values()}
    # Ready is what the workers say; the frontend's router hears of the new prefill worker after that, and
    # ends requests with 500 (failed to route to prefill) until then.
    first_answer(report.frontends(stack.lab.directory)[NAMESPACE, GRAPH])
    assert smoke_verdicts(stack) == GOOD


def test_a_pod_that_is_told_to_end_takes_both_workers_with_it(stack: LabStack) -> None:
    pod = _pod(stack)
    before = _workers(pod)
    assert before.keys() == {"prefill", "decode"}
    stack.lab.kubectl("delete", "pod", pod["metadata"]["name"], "-n", NAMESPACE)
    until(lambda: not any(each.is_running() for each in before.values()), "the end of both workers")
