"""What the guide of recipes of one's own shows is what there is."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import yaml

from recipes.load import parse_recipe, recipe_file
from tests.cli.command import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command

GUIDE = (ROOT / "docs" / "your-own-recipe.md").read_text(encoding="utf-8")


def _shown(start: str) -> tuple[list[str], list[str]]:
    """The words of the command that starts so, and the lines that the guide shows after it."""
    found = re.search(rf"```console\n\$ dynamo-stack ({start}[^\n]*)\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None, start
    return shlex.split(found[1]), [line for line in found[2].splitlines() if line != "…"]


def test_a_copy_is_made_as_the_guide_shows(command: Command, tmp_path: Path) -> None:
    arguments, lines = _shown("recipes new")
    answer = command(*arguments, folder=tmp_path)
    assert (answer.code, answer.out.splitlines()) == (0, lines)


def test_a_recipe_is_shown_as_the_guide_shows(command: Command) -> None:
    arguments, lines = _shown("recipes show")
    printed = command(*arguments).out.splitlines()
    assert lines
    assert [line for line in lines if line not in printed] == []


def test_the_model_of_the_guide_can_be_described_in_a_recipe() -> None:
    [text] = re.findall(r"```yaml\n(model:.*?)```", GUIDE, re.DOTALL)
    content = yaml.safe_load(recipe_file("gpt-oss-20b/trtllm-agg").read_text(encoding="utf-8"))
    recipe = parse_recipe(yaml.safe_dump(content | yaml.safe_load(text)))
    assert recipe.model.shape.name == "gpt-oss-20b"
