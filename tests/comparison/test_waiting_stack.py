"""A stack whose graph waits for its Capacity Block: what the comparison says before anything serves."""

from pathlib import Path

import pytest

from comparison.changes import Operation
from comparison.stack_comparison import ComparisonVerdict, StackComparison
from tests.comparison.changed_stacks import Case
from tests.comparison.made_up import facts

OLD, NEW = "DynamoGraphDeployment gpt-oss/gpt-oss-disagg", "DynamoGraphDeployment gpt-oss/gpt-oss-agg"


def test_another_recipe_and_a_second_node_are_told_though_no_graph_is_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "serving.recipe": "gpt-oss-120b/trtllm-agg",
        "serving.kvTransport": None,
        "nodePools.0.nodes": 2,
    }
    found = Case("waiting", "disagg-b200-tcp", {}, {"settings": settings}, {}).compared(tmp_path, monkeypatch)
    assert isinstance(found, StackComparison)
    assert found.verdict is ComparisonVerdict.CHANGES
    assert not [each for each in found.resources if each.title in {OLD, NEW}]
    said = facts(found)
    assert list(said)[:4] == ["settings", "clients", "without service", "once open"]
    assert said["settings"] == [
        "serving.recipe: gpt-oss-120b/trtllm-disagg -> gpt-oss-120b/trtllm-agg",
        "nodePools.b200.nodes: 1 -> 2",
        "serving.kvTransport: tcp -> not set",
    ]
    assert "gpt-oss-disagg-frontend" in said["clients"][0]
    assert "-> gpt-oss-agg-frontend" in said["clients"][0]
    assert said["without service"] == ["nothing serves yet, so nothing is interrupted"]
    opened = {each.title: each.operation for each in found.opened}
    assert (opened[OLD], opened[NEW]) == (Operation.DELETE, Operation.CREATE)
    [ends] = said["once open"]
    assert ends == f"applied after its Capacity Block has opened, it ends serving with: {OLD}"
    [fee] = [line for line in said["cost"] if line.startswith("Capacity Block cr-0123456789abcdef0")]
    assert "8 -> 16 GPUs: $98.84 -> $197.68 for each hour of the block" in fee
    assert fee.endswith("; the block has to hold 16 GPUs")
    source = "https://aws.amazon.com/ec2/capacityblocks/pricing/, read on 2026-07-01"
    assert said["cost"][-1].endswith(f" a GPU-hour ({source})")
