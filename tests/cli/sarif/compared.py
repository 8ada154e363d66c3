"""Two sides for `diff --format sarif`, and what it says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli import diff
from comparison.recording import RecordedLines
from tests.cli.sarif.logs import place
from tests.comparison.made_up import HEAD, comparison, recording, refused_size, side, stack

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from comparison.changes import ResourceChange
    from comparison.recording import Side, StackRecording, UnreadStack
    from comparison.stack_comparison import Comparison

    Compared = Callable[..., list[dict[str, Any]]]

LINES = RecordedLines(settings=3, waivers={"gpus-fit": 9}, refused=(7,), resources={refused_size().urn: 8})


def of_stacks(base: StackRecording | UnreadStack, head: StackRecording | UnreadStack) -> tuple[Side, Side]:
    return side(base), side(head, label="topic", commit=HEAD)


def between(monkeypatch: pytest.MonkeyPatch, *changes: ResourceChange, **others: Any) -> tuple[Side, Side]:
    """Two sides between which there are these changes."""
    found: Comparison = comparison([stack(*changes, **others)])
    sides = of_stacks(recording(), recording(lines=LINES))

    def compare_sides(base: Side, head: Side, *_: Any) -> Comparison:
        return type(found)(base=base, head=head, stacks=found.stacks)

    monkeypatch.setattr(diff, "compare_sides", compare_sides)
    return sides


def said(run: dict[str, Any]) -> list[tuple[str, str, str, int]]:
    """Rule, level, state and line of each result."""
    return [
        (each["ruleId"], each["level"], each.get("baselineState", ""), place(each)[1])
        for each in run["results"]
    ]
