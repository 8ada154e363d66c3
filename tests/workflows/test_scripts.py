"""The Python inside the workflows is code like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from tests.workflows.workflow_files import NAMES, step, steps

SCRIPTS = {"comment.yml": "Write the comment", "drift.yml": "Open or close the issue"}


def tool(*command: str, text: str) -> str:
    """What a checker says of a script."""
    program = str(Path(sys.executable).with_name(command[0]))
    answer = subprocess.run(
        [program, *command[1:]],
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
def test_a_script_passes_the_linter_and_is_formatted(name: str) -> None:
    script = step(name, SCRIPTS[name])["run"]
    # Ten blanks of the workflow stand before each line.
    arguments = ("--config", "line-length=98", "--stdin-filename", "script.py")
    assert tool("ruff", "check", *arguments, "--ignore", "E501,INP001", "-", text=script) == ""
    assert tool("ruff", "format", "--diff", *arguments, "-", text=script) == ""


def test_both_scripts_talk_to_github_in_the_same_words() -> None:
    """They share no file, because the one that writes comments checks nothing out."""
    assert client("comment.yml") == client("drift.yml")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_needs_nothing_but_python(name: str) -> None:
    script = step(name, SCRIPTS[name])["run"]
    words = [line.split() for line in script.splitlines()]
    imported = {each[1].split(".")[0] for each in words if each[:1] in (["import"], ["from"])}
    assert imported <= sys.stdlib_module_names
