"""What Tab offers at a shell, by the script that `--install-completion` writes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from stacks.stack_files import list_stacks
from tests.cli.command import ROOT, asking

Offered = Callable[..., list[str]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """The words that bash would offer in a folder."""

    def words_for(*words: str, folder: Path = ROOT) -> list[str]:
        monkeypatch.chdir(folder)
        answer = CliRunner().invoke(app, env=asking(*words), prog_name="dynamo-stack")
        assert answer.exit_code == 0
        return answer.output.split()

    return words_for


def test_commands_and_stacks_are_offered_and_files_are_left_to_the_shell(
    offered: Offered,
) -> None:
    stacks = [each for each in list_stacks(ROOT) if each.startswith("disagg-")]
    assert offered("explain", "disagg-") == stacks
    assert offered("expl") == ["explain"]
    assert offered("check", "--file", "a.yaml", "d") == []


def test_a_stack_may_be_named_by_its_file_all_the_same(offered: Offered, tmp_path: Path) -> None:
    shutil.copy(ROOT / "Pulumi.dev.yaml", tmp_path / "Pulumi.mine.yaml")
    assert offered("explain", "", folder=tmp_path) == ["mine"]
    assert offered("explain", "Pulumi.", folder=tmp_path) == ["Pulumi.mine.yaml"]


def test_recipes_of_the_catalogue_and_of_a_typed_folder_are_offered(offered: Offered, tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").touch()
    assert "gpt-oss-120b/trtllm-agg" in offered("recipes", "show", "gpt-oss-120b/")
    assert offered("recipes", "new", "x", "--from", "gpt-oss-20b") == ["gpt-oss-20b/trtllm-agg"]
    assert offered("recipes", "show", "--folder", str(tmp_path), "ou") == ["ours"]


def test_the_script_is_that_of_the_shell_in_which_it_is_asked_for() -> None:
    command = Path(sys.executable).parent / "dynamo-stack"
    # Without another command behind it, bash would become what it runs and be no longer there to be found.
    asked = f"{command} --show-completion; true"
    done = subprocess.run(["bash", "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "complete -o default" in done.stdout
    assert "dynamo-stack" in done.stdout
