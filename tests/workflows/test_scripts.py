"""The Python inside the workflows is code like any other."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab import commands
from lab.directory import REPOSITORY
from tests.workflows.workflow_files import FOLDER, NAMES, step, steps

SCRIPTS = {"comment.yml": "Write the comment", "drift.yml": "Open or close the issue"}


def said_by_ruff(*arguments: str, text: str) -> str:
    """What ruff says of a script; nothing where it passes."""
    program = str(Path(sys.executable).with_name("ruff"))
    # Ten blanks of the workflow stand before each line.
    options = ("--config", "line-length=98", "--stdin-filename", "script.py", "-")
    answer = subprocess.run(
        [program, *arguments, *options],
        cwd=REPOSITORY,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return answer.stdout if answer.returncode else ""


def client(name: str) -> str:
    """The part of a script that talks to GitHub."""
    script = step(name, SCRIPTS[name])["run"]
    return script[script.index("LONGEST_PAUSE = ") : script.index("\n\n\n", script.index("def patiently("))]


def test_every_python_step_is_looked_at_here() -> None:
    python = {(name, each["name"]) for name in NAMES for each in steps(name) if each.get("shell") == "python"}
    assert python == set(SCRIPTS.items())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_passes_the_linter_is_formatted_and_needs_nothing_but_python(name: str) -> None:
    script = step(name, SCRIPTS[name])["run"]
    assert said_by_ruff("check", "--ignore", "E501,INP001", text=script) == ""
    assert said_by_ruff("format", "--diff", text=script) == ""
    imported = re.findall(r"^(?:import|from) (\w+)", script, re.MULTILINE)
    assert {*imported} <= sys.stdlib_module_names


def test_both_scripts_talk_to_github_in_the_same_words() -> None:
    """They share no file, because the one that writes comments checks nothing out."""
    assert client("comment.yml") == client("drift.yml")


@pytest.mark.engine
def test_make_check_ends_where_actionlint_finds_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["lab", "lint-workflows"])
    assert commands.main() == 0
    copies = tmp_path / ".github" / "workflows"
    shutil.copytree(FOLDER, copies)
    misspelt = (copies / "preview.yml").read_text().replace("timeout-minutes: 20", "timeout-minuts: 20")
    (copies / "preview.yml").write_text(misspelt)
    monkeypatch.setattr(commands, "REPOSITORY", tmp_path)
    assert commands.main() == 1
    assert 'unexpected key "timeout-minuts"' in capfd.readouterr().out
