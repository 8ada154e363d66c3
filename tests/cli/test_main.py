"""What `dynamo-stack` says of itself: groups, examples, version."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from cli.commands import COMMANDS
from cli.main import app
from tests.cli.command import ROOT, asking

SHOWN = sorted(name for name, listed in COMMANDS.items() if not listed.is_hidden)


def test_the_version_is_that_of_the_installed_package() -> None:
    answer = CliRunner().invoke(app, ["--version"])
    assert (answer.exit_code, answer.output) == (0, f"dynamo-stack {version('dynamo-stack')}\n")


@pytest.mark.parametrize("name", sorted(set(SHOWN) - {"recipes"}))
def test_the_help_of_a_command_ends_with_an_example_that_it_accepts(name: str) -> None:
    command = COMMANDS[name].load(name)
    examples = [line.removeprefix("Example: ") for line in (command.epilog or "").splitlines() if line]
    assert examples
    for example in examples:
        program, word, *arguments = shlex.split(example)
        assert (program, word) == ("dynamo-stack", name)
        # An option that does not exist, or a value of another type, ends it.
        command.make_context(name, arguments)


_EACH_COMMAND = {f"cli.{listed.place.partition(':')[0]}" for listed in COMMANDS.values()}
_HEAVY = {"pulumi", "yaml", "requests", "botocore", "recipes.model", "stacks.settings.load"}
_LOADED: dict[str, tuple[list[str], dict[str, str], set[str]]] = {
    "the help loads no command": (["--help"], {}, _EACH_COMMAND),
    "a name that Tab completes loads none": ([], asking("expl"), _EACH_COMMAND | _HEAVY),
    "a list records nothing": (["list"], {}, {"pulumi"}),
    "a check of a file records nothing": (["check", "--file", "Pulumi.yaml"], {}, {"pulumi"}),
}


@pytest.mark.parametrize(("words", "environment", "spared"), _LOADED.values(), ids=_LOADED)
def test_what_a_command_does_not_need_is_not_loaded(
    words: list[str], environment: dict[str, str], spared: set[str]
) -> None:
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: sys.stderr.write('\\nloaded: ' + ' '.join(sys.modules)))\n"
        f"sys.argv = ['dynamo-stack', *{words!r}]\n"
        "from cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    loaded = {*done.stderr.rpartition("loaded: ")[2].split()}
    assert "cli.main" in loaded
    assert loaded & spared == set()


def test_a_misspelt_command_gets_the_nearest() -> None:
    assert "Did you mean 'doctor'?" in CliRunner().invoke(app, ["doctr"]).output
