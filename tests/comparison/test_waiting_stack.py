"""A stack whose graph waits for its Capacity Block: what the comparison says before anything serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparison.facts import facts_of
from comparison.stack_comparison import StackComparison, Verdict
from comparison.verdict_lines import Quoted
from tests.comparison.changed_stacks import Case

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BLOCK = "cr-0123456789abcdef0"
OLD, NEW = "DynamoGraphDeployment gpt-oss/gpt-oss-disagg", "DynamoGraphDeployment gpt-oss/gpt-oss-agg"


def compared(folder: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]) -> StackComparison:
    """The shipped stack, whose block is not open, and the same with these settings."""
    case = Case("waiting", "disagg-b200-tcp", {}, {"settings": settings}, {})
    found = case.compared(folder, monkeypatch)
    assert isinstance(found, StackComparison)
    return found


def said(stack: StackComparison) -> dict[str, list[str]]:
    return {
        fact.label: [
            "".join(each.text if isinstance(each, Quoted) else each for each in sentence)
            for sentence in fact.sentences
        ]
        for fact in facts_of(stack)
    }


def test_another_recipe_begins_with_itself_and_says_which_graph_takes_the_place_of_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = {"serving.recipe": "gpt-oss-120b/trtllm-agg", "serving.kvTransport": None}
    found = said(compared(tmp_path, monkeypatch, change))
    assert list(found)[:4] == ["settings", "clients", "without service", "once open"]
    assert found["settings"][0] == "serving.recipe: gpt-oss-120b/trtllm-disagg -> gpt-oss-120b/trtllm-agg"
    assert "gpt-oss-disagg-frontend" in found["clients"][0]
    assert "-> gpt-oss-agg-frontend" in found["clients"][0]
    assert found["without service"] == ["nothing serves yet, so nothing is interrupted"]
    once_open = dict(each.split(": ", 1) for each in found["once open"])
    assert OLD in once_open["deleted"]
    assert NEW in once_open["created"]
    assert once_open["applied after the block has opened, it ends serving with"] == OLD


def test_an_engine_option_is_a_change_though_nothing_of_the_graph_is_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overrides = {"decode": {"max_batch_size": 512}}
    found = compared(tmp_path, monkeypatch, {"serving.overrides": overrides})
    assert found.verdict is Verdict.CHANGES
    assert found.resources == ()
    assert OLD in {each.title for each in found.opened}


def test_a_second_node_says_what_the_block_has_to_hold_and_what_its_fee_becomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = said(compared(tmp_path, monkeypatch, {"nodePools.0.nodes": 2}))
    assert found["settings"] == ["nodePools.b200.nodes: 1 -> 2"]
    [fee] = [line for line in found["cost"] if BLOCK in line]
    assert "8 -> 16 GPUs: $98.84 -> $197.68 for each hour of the block" in fee
    assert fee.endswith("; the block has to hold 16 GPUs")
