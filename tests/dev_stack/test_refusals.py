"""What the real engine refuses before anything exists, and what a person reads then."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.stacks.changed_settings import Change, changed
from tests.support.lab_stack import POLICY, LabStack, inventory

pytestmark = [pytest.mark.lab, pytest.mark.essential]

SETTINGS = "dynamo-stack:settings"


@pytest.fixture
def edited(stack: LabStack) -> Iterator[dict[str, Any]]:
    """The stack file's content, to be changed and written; put back afterwards."""
    file = stack.project / "Pulumi.dev.yaml"
    original = file.read_text()
    yield stack.settings()
    file.write_text(original)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"serving.recipie": "gpt-oss-120b/trtllm-disagg"}, ["serving.recipie", "try: recipe"]),
        ({"serving.replicas": {"decode": 3}}, ["decode", "GPU"]),
    ],
    ids=["unknown-key", "pool-too-small"],
)
def test_a_bad_setting_ends_the_run_before_anything_is_created(
    stack: LabStack,
    edited: dict[str, Any],
    empty_cluster: dict[str, tuple[str, int | None]],
    change: Change,
    expected: list[str],
) -> None:
    edited["config"][SETTINGS] = changed(edited["config"][SETTINGS], change)
    stack.write_settings(edited)
    said = stack.failing("up", "--yes", *POLICY)
    for text in ["Pulumi.dev.yaml", *expected]:
        assert text in said, said
    assert inventory(stack.lab).keys() == empty_cluster.keys()


WRONG_PROGRAM = """
from components import dynamo_graph
from stacks.program import deploy_serving, entry

right_spec = dynamo_graph.graph_spec
RightGraph = deploy_serving.DynamoGraph


def spec_with_too_few_gpus(*arguments):
    spec = right_spec(*arguments)
    [decode] = [item for item in spec["components"] if item["name"] == "TrtllmDecodeWorker"]
    [main] = decode["podTemplate"]["spec"]["containers"]
    gpus = {"nvidia.com/gpu": "2"}
    main["resources"] = {"requests": gpus, "limits": gpus}
    return spec


def graph_that_waits_for_nothing(*arguments, depends_on, **inputs):
    return RightGraph(*arguments, depends_on=[], **inputs)


dynamo_graph.graph_spec = spec_with_too_few_gpus
deploy_serving.DynamoGraph = graph_that_waits_for_nothing
entry.main()
"""


def test_the_policy_pack_stops_a_preview_and_an_up_of_a_program_that_is_wrong(
    stack: LabStack, empty_cluster: dict[str, tuple[str, int | None]]
) -> None:
    file = stack.project / "__main__.py"
    original = file.read_text()
    file.write_text(WRONG_PROGRAM)
    try:
        said = [stack.failing(*command, *POLICY) for command in (["preview"], ["up", "--yes"])]
    finally:
        file.write_text(original)
    for each in said:
        assert "mandatory" in each
        # The first is about a resource's own inputs, the second about what depends on what.
        for words in (
            "gpus-match-parallelism",
            "TrtllmDecodeWorker",
            "graph-depends-on-operator",
            "dynamo-platform",
        ):
            assert words in each, each
    assert inventory(stack.lab).keys() == empty_cluster.keys()
