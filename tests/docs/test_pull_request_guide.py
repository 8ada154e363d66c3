"""docs/pull-requests.md: effects, exit codes and keys are those that there are."""

from __future__ import annotations

import re

from cli.exit_codes import CHANGED, NOT_COMPARED, STOPPED
from comparison.changes import Effect
from comparison.markdown import LARGEST
from comparison.stack_comparison import Verdict
from tests.cli.command import ROOT

GUIDE = (ROOT / "docs" / "pull-requests.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[str]:
    table = GUIDE.partition(heading)[2].partition("\n\n##")[0]
    return re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]


def test_the_guide_lists_every_effect_but_a_change_in_place() -> None:
    effects = rows("## What the comment says")
    assert effects == [f"`{effect.value}`" for effect in Effect if effect is not Effect.IN_PLACE]


def test_the_guide_lists_the_exit_codes() -> None:
    assert rows("## Exit codes") == [str(code) for code in (0, CHANGED, STOPPED, NOT_COMPARED)]


def test_the_guide_lists_every_verdict_of_the_json() -> None:
    said = GUIDE.partition("## JSON")[2].partition("the worst stack: ")[2]
    assert re.findall(r"`([^`]+)`", said) == [verdict.value for verdict in Verdict]


def test_the_guide_names_the_largest_comment() -> None:
    assert f"at most {LARGEST:,} bytes" in GUIDE


def test_there_are_five_steps() -> None:
    steps = GUIDE.partition("in five steps")[2].partition("\n##")[0]
    assert re.findall(r"^(\d)\. ", steps, re.MULTILINE) == ["1", "2", "3", "4", "5"]
