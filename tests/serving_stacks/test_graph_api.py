"""The same stack as a v1beta1 graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab import cluster
from tests.serving_stacks.pods import gpus_of, nodes_of, pods_of
from tests.serving_stacks.rehearsal import SETTINGS, rehearsed
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE, GRAPH = "gpt-oss", "gpt-oss-disagg"
GRAPHS = "dynamographdeployments.nvidia.com"


def _as_v1beta1(settings: dict[str, Any]) -> None:
    settings["platform"]["graphApi"] = "v1beta1"


@pytest.fixture(scope="module")
def stack(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    assert engine
    lab = Sandbox.at(tmp_path_factory.mktemp("v1beta1"))
    cluster.prepare(lab.directory, say=print)
    try:
        cluster.up(lab.directory, say=print)
        with rehearsed(lab, tmp_path_factory.mktemp("project"), "disagg-b200", _as_v1beta1) as stack:
            yield stack
    finally:
        cluster.down(lab.directory)


def test_the_graph_is_read_as_v1beta1_and_its_operator_calls_it_ready(stack: LabStack) -> None:
    graph = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert graph["apiVersion"] == "nvidia.com/v1beta1"
    assert {item["name"]: item["type"] for item in graph["spec"]["components"]} == {
        "Frontend": "frontend",
        "TrtllmPrefillWorker": "prefill",
        "TrtllmDecodeWorker": "decode",
    }
    assert graph["status"]["state"] == "successful"


def test_its_workers_run_simulated_on_the_b200_node(stack: LabStack) -> None:
    pods = pods_of(stack.lab, GRAPH, NAMESPACE)
    assert {role: [gpus_of(pod) for pod in pods[role]] for role in ("prefill", "decode")} == {
        "prefill": [1],
        "decode": [4],
    }
    assert nodes_of([*pods["prefill"], *pods["decode"]]) == ["p6-b200-0", "p6-b200-0"]


def test_another_member_count_on_the_deployed_stack_is_refused_with_the_procedure(stack: LabStack) -> None:
    original, content = stack.settings(), stack.settings()
    content["config"][SETTINGS]["platform"]["nats"]["members"] = 1
    stack.write_settings(content)
    answer = stack.up(check=False)
    stack.write_settings(original)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0
    assert "platform.nats.members" in said, said
    assert "docs/change-what-is-fixed.md" in said, said
    assert "Traceback" not in said
    stack.up()
    assert stack.changes() == {}
