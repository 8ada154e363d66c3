"""What the real engine refuses before anything exists, and what a person reads then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.lab_stack import LabStack, inventory

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    ("path", "value", "expected"),
    [
        (("serving", "recipie"), "gpt-oss-120b/trtllm-disagg", ["serving.recipie", "try: recipe"]),
        (("nodePools", 0, "nodes"), "one", ["nodePools[0].nodes", "one"]),
        (("platform", "version"), 1.2, ["platform.version", "1.2", "quote it"]),
        (
            ("serving", "recipe"),
            "gpt-oss-120b/trtllm-disag",
            ["serving.recipe", "gpt-oss-120b/trtllm-disagg"],
        ),
        (("serving", "replicas"), {"decode": 3}, ["decode", "GPU"]),
        (("modelCache", "size"), "20Gi", ["modelCache.size", "20Gi"]),
    ],
    ids=[
        "unknown-key",
        "wrong-type",
        "unquoted-version",
        "unknown-recipe",
        "pool-too-small",
        "cache-too-small",
    ],
)
def test_a_bad_setting_ends_the_run_before_anything_is_created(
    stack: LabStack,
    edited: dict[str, Any],
    empty_cluster: dict[str, tuple[str, int | None]],
    path: tuple[str | int, ...],
    value: object,
    expected: list[str],
) -> None:
    target: Any = edited["config"][SETTINGS]
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    stack.write_settings(edited)
    answer = stack.up(check=False)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0
    assert "Traceback" not in said
    for text in ["Pulumi.dev.yaml", *expected]:
        assert text in said, said
    assert inventory(stack.lab).keys() == empty_cluster.keys()


BAD_PROGRAM = """
from stacks.program import deploy_serving, entry

right_spec = deploy_serving.graph_spec


def spec_with_too_few_gpus(*arguments):
    spec = right_spec(*arguments)
    [decode] = [item for item in spec["components"] if item["name"] == "TrtllmDecodeWorker"]
    [main] = decode["podTemplate"]["spec"]["containers"]
    gpus = {"nvidia.com/gpu": "2"}
    main["resources"] = {"requests": gpus, "limits": gpus}
    return spec


deploy_serving.graph_spec = spec_with_too_few_gpus
entry.main()
"""

PROGRAM_WITHOUT_THE_EDGE = """
from stacks.program import deploy_serving, entry

RightGraph = deploy_serving.DynamoGraph


def graph_that_waits_for_nothing(name, args, *, depends_on, opts):
    return RightGraph(name, args, depends_on=[], opts=opts)


deploy_serving.DynamoGraph = graph_that_waits_for_nothing
entry.main()
"""


@pytest.mark.parametrize(
    ("program", "rule", "said_about"),
    [
        (BAD_PROGRAM, "gpus-match-parallelism", "TrtllmDecodeWorker"),
        (PROGRAM_WITHOUT_THE_EDGE, "graph-depends-on-operator", "dynamo-platform"),
    ],
    ids=["gpus", "operator-edge"],
)
def test_the_policy_pack_stops_a_preview_of_a_program_that_is_wrong(
    stack: LabStack,
    empty_cluster: dict[str, tuple[str, int | None]],
    program: str,
    rule: str,
    said_about: str,
) -> None:
    file = stack.project / "__main__.py"
    original = file.read_text()
    file.write_text(program)
    try:
        preview = stack.pulumi("preview", "--policy-pack", "policy", check=False)
        up = stack.up(check=False)
    finally:
        file.write_text(original)
    for answer in (preview, up):
        assert answer.returncode != 0
        assert "mandatory" in answer.stdout
        assert rule in answer.stdout
        assert said_about in answer.stdout
    assert inventory(stack.lab).keys() == empty_cluster.keys()
