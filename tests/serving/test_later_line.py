"""Recipes on the newest line of the platform, on which new stacks begin: that line's own wheel serves.

Three stacks of one cluster: dev with the platform, and beside it on the same platform one of vLLM, and one
whose pod runs two prefill workers and one decode worker on the four GPUs of a tray.
"""

from typing import Any

import pytest

from lab import report
from lab.answer import TOKENS, first_answer
from recipes.load import load_recipe
from recipes.model import Recipe
from tests.serving.conftest import BroughtUp
from tests.serving.pod_processes import processes_of
from tests.serving.smoke_verdicts import GOOD, smoke_verdicts
from tests.serving_stacks.pods import pods_of
from tests.support.lab_stack import LabStack
from tests.support.shipped_stacks import committed_settings

pytestmark = [pytest.mark.lab, pytest.mark.slow]

RELEASE, LINE = "1.4.2", "1.4"
STACKS = {"dev": "gpt-oss", "vllm-agg-b200": "vllm", "disagg-gb200": "tray"}
"""Shipped stack -> its namespace here."""


@pytest.fixture(scope="module")
def stacks(brought_up: BroughtUp) -> dict[str, LabStack]:
    def later(settings: dict[str, Any]) -> None:
        settings["platform"]["version"] = RELEASE

    def beside(settings: dict[str, Any]) -> None:
        settings["platform"] = {"kind": "existing", "version": RELEASE}
        settings["serving"] |= {"namespace": STACKS["vllm-agg-b200"], "replicas": {"worker": 2}}

    def on_a_tray(settings: dict[str, Any]) -> None:
        settings["platform"] = {"kind": "existing", "version": RELEASE}
        settings["serving"]["namespace"] = STACKS["disagg-gb200"]

    changes = {"dev": later, "vllm-agg-b200": beside, "disagg-gb200": on_a_tray}
    return {name: brought_up(name, change) for name, change in changes.items()}


def _recipe_of(stack: str) -> Recipe:
    return load_recipe(committed_settings(stack)["serving"]["recipe"])


@pytest.mark.parametrize("name", STACKS)
def test_the_runtime_of_the_line_answers(name: str, stacks: dict[str, LabStack]) -> None:
    stack, namespace, graph = stacks[name], STACKS[name], _recipe_of(name).graph_name
    answer = first_answer(report.frontends(stack.lab.directory)[namespace, graph])
    assert answer.body["usage"]["completion_tokens"] == TOKENS
    pods = [pod for of_role in pods_of(stack.lab, graph, namespace).values() for pod in of_role]
    images = {each["image"].rpartition(":")[2] for pod in pods for each in pod["spec"]["containers"]}
    assert images == {RELEASE}
    assert len(pods) > 1
    for pod in pods:
        running = [" ".join(each.cmdline()) for each in processes_of(pod["metadata"]["name"])]
        assert any(f"/ai-dynamo-{RELEASE}-" in words for words in running), running
        assert not any("/ai-dynamo-1.2" in words for words in running), running


@pytest.mark.parametrize("name", ["dev", "disagg-gb200"])
def test_the_smoke_test_of_a_disaggregated_stack_finds_nothing_wrong(
    name: str, stacks: dict[str, LabStack]
) -> None:
    assert smoke_verdicts(stacks[name]) == GOOD


@pytest.mark.parametrize("name", STACKS)
def test_a_second_up_on_the_line_finds_nothing_to_do(name: str, stacks: dict[str, LabStack]) -> None:
    stacks[name].pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")


def test_each_worker_of_a_pod_is_registered_under_a_name_of_its_own(stacks: dict[str, LabStack]) -> None:
    stack, namespace = stacks["disagg-gb200"], STACKS["disagg-gb200"]
    graph = _recipe_of("disagg-gb200").graph_name
    [pod] = pods_of(stack.lab, graph, namespace)["worker"]
    name = pod["metadata"]["name"]
    written = stack.lab.get("dynamoworkermetadatas.nvidia.com", "-n", namespace)["items"]
    registered = {each["metadata"]["name"] for each in written}
    assert {name, f"{name}-prefill", f"{name}-prefill-2"} <= registered
    modes = [
        words[words.index("--disaggregation-mode") + 1]
        for each in processes_of(name)
        if "--disaggregation-mode" in (words := each.cmdline())
    ]
    assert sorted(modes) == ["decode", "prefill", "prefill"]
