"""`dynamo-stack upgrade`: what it refuses, with what would work, and writes nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from recipes.load import recipe_file
from tests.cli.command import ROOT, squeezed, write_stack
from tests.cli.upgrade_runs import FILE, GUIDE, own_stack, refused, run_upgrade, version_in
from tests.support.dev_settings import agg_gb200_settings, all_lines_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command

RECIPE = "gpt-oss-120b/trtllm-disagg"
OF_EVERY_LINE = "gpt-oss-120b/trtllm-agg, gpt-oss-120b/trtllm-disagg or gpt-oss-120b/vllm-agg"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A stack file with comments, of 1.2.1."""
    return own_stack(tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--json",), "asks nobody: add --yes or --dry-run"),
        (("--yes", "--dry-run"), "one writes and the other does not"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    command: Command, mine: Path, options: tuple[str, ...], said: str
) -> None:
    answer = run_upgrade(command, mine, "--to", "1.4.2", *options)
    assert answer.code == 2
    assert said in squeezed(answer.err)
    assert version_in(mine) == "1.2.1"


def test_a_release_that_does_not_exist_is_refused_with_the_nearest(command: Command, mine: Path) -> None:
    assert refused(command, mine, "--to", "1.4.1") == (
        "dynamo-stack upgrade: --to = '1.4.1'\n"
        "  not a platform release that this project was written for\n"
        "  allowed: 1.2.1, 1.4.2, 1.6.2\n"
        "  try: 1.4.2\n"
    )


def test_going_back_is_refused_with_the_reason_and_a_way(command: Command, mine: Path) -> None:
    mine.write_text(mine.read_text(encoding="utf-8").replace('"1.2.1"', '"1.4.2"'), encoding="utf-8")
    said = refused(command, mine, "--to", "1.2.1")
    assert said.startswith(f"{FILE}: platform.version = '1.4.2'\n  1.2.1 is older. ")
    assert (
        'where no `pulumi up` has run with 1.4.2, write "1.2.1" by hand; else docs/upgrade.md#going-back'
        in said
    )
    assert "\n## Going back\n" in GUIDE


def test_a_release_on_which_the_recipe_does_not_stand_names_how_far_it_goes_and_which_recipe_would(
    command: Command, mine: Path, tmp_path: Path
) -> None:
    own = yaml.safe_load(recipe_file(RECIPE).read_text(encoding="utf-8"))
    own |= {"name": "ours", "runtime": own["runtime"] | {"platformLines": ["1.2", "1.4"]}}
    (tmp_path / "ours.yaml").write_text(yaml.safe_dump(own), encoding="utf-8")
    text = mine.read_text(encoding="utf-8")
    mine.write_text(text.replace(RECIPE, "ours\n      recipeFolder: ."), encoding="utf-8")
    assert refused(command, mine, "--to", "1.6.2") == (
        f"{FILE}: serving.recipe = 'ours'\n"
        "  stands on platform 1.2 or 1.4, not on 1.6: nothing is known of its engine's options there; "
        "nothing was written\n"
        f"  try: `dynamo-stack upgrade mine --to 1.4.2`, as far as it stands; or {OF_EVERY_LINE}, which is "
        "another graph (docs/updates.md#another-recipe)\n"
    )


def test_a_stack_without_dynamo_has_nothing_to_upgrade(command: Command, tmp_path: Path) -> None:
    file = tmp_path / FILE
    shutil.copy(ROOT / "Pulumi.latency-b200.yaml", file)
    said = refused(command, file, "--to", "1.4.2")
    assert said.startswith(
        f"{FILE}: platform\n  is not there: gpt-oss-120b/trtllm-low-latency is served without"
    )


def test_a_platform_that_nothing_would_use_is_not_upgraded(command: Command, tmp_path: Path) -> None:
    settings = all_lines_settings()
    settings["serving"]["recipe"] = "gpt-oss-120b/trtllm-low-latency"
    said = refused(command, write_stack(tmp_path, settings, name="mine"), "--to", "1.4.2")
    assert "nothing would use it: gpt-oss-120b/trtllm-low-latency is served by trtllm-serve" in said


def test_a_release_that_nobody_knows_is_no_place_to_begin(command: Command, tmp_path: Path) -> None:
    settings = all_lines_settings()
    settings["platform"]["version"] = "1.3.1"
    said = refused(command, write_stack(tmp_path, settings, name="mine"), "--to", "1.4.2")
    assert said.startswith(f"{FILE}: platform.version = '1.3.1'\n  this project does not know where")
    assert 'allowed: "1.2.1", "1.4.2", "1.6.2"' in said


def test_a_stack_that_cannot_be_used_is_refused_as_by_every_command(command: Command, tmp_path: Path) -> None:
    file = write_stack(tmp_path, agg_gb200_settings() | {"lifecycle": "forever"}, name="mine")
    assert "lifecycle" in refused(command, file, "--to", "1.4.2")
    answer = command("upgrade", "mina", "--to", "1.4.2", folder=tmp_path)
    assert (answer.code, "try: mine" in answer.err) == (2, True)
