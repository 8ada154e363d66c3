"""The command line of `dynamo-stack diff`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from cli.stack_argument import stack_name


class DiffFormat(Enum):
    """How a comparison is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def diff_command(
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="BASE..HEAD",
            help="Two revisions of git; BASE...HEAD from where HEAD left BASE; BASE alone against the files "
            "here; or two folders.",
        ),
    ],
    stacks: Annotated[
        list[str] | None, typer.Option("--stack", metavar="NAME", help="A stack; several are allowed.")
    ] = None,
    form: Annotated[
        DiffFormat,
        typer.Option("--format", help="For a terminal, the comment of a pull request, or programs."),
    ] = DiffFormat.TEXT,
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="Write it there instead.")] = None,
) -> None:
    """Say what a change does to the stacks, without asking a cluster or an account.

    Exit 0 for no changes, 1 for changes, 2 for a mandatory finding or what would be refused, 3 where a side
    or a stack could not be compared.
    """
    from cli.diff import diff

    if len(sides) > 2:  # noqa: PLR2004 - a comparison has two sides
        raise typer.BadParameter("give BASE..HEAD, or two folders", param_hint="BASE..HEAD")
    base, head = (*sides, None)[:2]
    diff(str(base), head, [stack_name(each) for each in stacks or ()], form, to)
