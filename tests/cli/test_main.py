"""What `dynamo-stack` says of itself: groups, examples, version."""

from __future__ import annotations

import shlex
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
import typer.main
from typer.testing import CliRunner

from cli.main import app

if TYPE_CHECKING:
    import click

GROUP: click.Group = typer.main.get_command(app)  # pyright: ignore[reportAssignmentType]
COMMANDS = {name: command for name, command in GROUP.commands.items() if not command.hidden}


def _help() -> str:
    return CliRunner().invoke(app, ["--help"]).output


def test_the_version_is_that_of_the_installed_package() -> None:
    answer = CliRunner().invoke(app, ["--version"])
    assert (answer.exit_code, answer.output) == (0, f"dynamo-stack {version('dynamo-stack')}\n")


def test_commands_stand_in_the_order_in_which_a_stack_lives() -> None:
    lines = _help().splitlines()
    headings = [line.strip("╭╮─ ") for line in lines if line.startswith("╭")]
    assert headings == ["Options", "Choose and describe a stack", "Before `pulumi up`", "While it runs"]


def test_what_only_diff_calls_is_not_shown_and_works() -> None:
    assert "record" not in COMMANDS
    assert "record" in GROUP.commands
    assert "│ record" not in _help()


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"recipes"}))
def test_the_help_of_a_command_ends_with_an_example_that_it_accepts(name: str) -> None:
    epilog = COMMANDS[name].epilog or ""
    examples = [line.removeprefix("Example: ") for line in epilog.splitlines() if line]
    assert examples
    for example in examples:
        program, command, *arguments = shlex.split(example)
        assert (program, command) == ("dynamo-stack", name)
        # An option that does not exist, or a value of another type, ends it.
        COMMANDS[name].make_context(name, arguments)
