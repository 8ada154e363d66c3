"""A stack that runs on 1.2.1 is not brought to 1.4.2, because 1.3 lies in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.command import squeezed
from tests.serving_stacks.rehearsal import prepare
from tests.updates.rehearsal import GRAPHS, NAMESPACE, apply, change

if TYPE_CHECKING:
    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

STACK, GRAPH = "vllm-agg-b200", "gpt-oss-vllm"
LATER = "1.4.2"


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    stack = prepare(own_lab, tmp_path_factory.mktemp("lines"), STACK)
    apply(stack)
    return stack


def test_a_release_that_leaves_out_a_minor_is_refused_and_the_graph_serves_on(stack: LabStack) -> None:
    content = stack.settings()
    before = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]
    change(stack, lambda settings: settings["platform"].update(version=LATER))
    refused = apply(stack, check=False)
    stack.write_settings(content)
    assert refused.returncode != 0
    said = squeezed(f"{refused.stdout} {refused.stderr}")
    assert "1.2.1 runs, and Dynamo supports no step that leaves out a minor release, as to 1.4.2" in said
    after = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]
    assert (after["uid"], after["generation"]) == (before["uid"], before["generation"])
    apply(stack)
    assert stack.changes() == {}
