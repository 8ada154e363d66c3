"""The command line of `dynamo-stack report`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from pathlib import Path
from typing import Annotated

import typer

from cli.stack_argument import StackArgument


def report_command(
    stack: StackArgument,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE.html", help="Write the page here; folders are made.")
    ],
) -> None:
    """Write a stack as one page: who sits where, memory, cost, order, findings and the reasons."""
    from cli.report import report

    report(stack, to)
