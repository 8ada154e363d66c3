"""Recipes on the newest line of the platform, on which new stacks begin: that line's own wheel serves.

Two stacks of one cluster: dev with the platform, and one of vLLM beside it on the same platform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab import report
from lab.answer import TOKENS, first_answer
from recipes.load import load_recipe, recipe_names
from tests.serving.pod_processes import processes_of
from tests.serving.smoke_verdicts import GOOD, smoke_verdicts
from tests.serving_stacks.pods import pods_of
from tests.support.shipped_stacks import committed_settings

if TYPE_CHECKING:
    from tests.serving.conftest import BroughtUp
    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

RELEASE, LINE = "1.4.2", "1.4"
STACKS = {"dev": "gpt-oss", "vllm-agg-b200": "vllm"}
"""Shipped stack -> its namespace here."""


@pytest.fixture(scope="module")
def stacks(brought_up: BroughtUp) -> dict[str, LabStack]:
    def later(settings: dict[str, Any]) -> None:
        settings["platform"]["version"] = RELEASE

    def beside(settings: dict[str, Any]) -> None:
        settings["platform"] = {"kind": "existing", "version": RELEASE}
        settings["serving"] |= {"namespace": STACKS["vllm-agg-b200"], "replicas": {"worker": 2}}

    return {"dev": brought_up("dev", later), "vllm-agg-b200": brought_up("vllm-agg-b200", beside)}


def _recipe_of(stack: str) -> Any:
    return load_recipe(committed_settings(stack)["serving"]["recipe"])


def test_a_recipe_of_each_engine_whose_new_stacks_begin_there_is_served() -> None:
    new = [load_recipe(name) for name in recipe_names()]
    engines = {each.framework for each in new if each.runtime.line_of_new_stacks == LINE}
    assert engines == {_recipe_of(stack).framework for stack in STACKS}


@pytest.mark.parametrize("name", STACKS)
def test_the_runtime_of_the_line_answers(name: str, stacks: dict[str, LabStack]) -> None:
    stack, namespace, graph = stacks[name], STACKS[name], _recipe_of(name).graph_name
    answer = first_answer(report.frontends(stack.lab.directory)[namespace, graph])
    assert answer.body["usage"]["completion_tokens"] == TOKENS
    pods = [pod for of_role in pods_of(stack.lab, graph, namespace).values() for pod in of_role]
    assert len(pods) > 1
    for pod in pods:
        running = [" ".join(each.cmdline()) for each in processes_of(pod["metadata"]["name"])]
        assert any(f"/ai-dynamo-{RELEASE}-" in words for words in running), running
        assert not any("/ai-dynamo-1.2" in words for words in running), running


def test_the_smoke_test_of_the_disaggregated_stack_finds_nothing_wrong(stacks: dict[str, LabStack]) -> None:
    assert smoke_verdicts(stacks["dev"]) == GOOD
