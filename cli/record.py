"""`dynamo-stack record`."""

import contextlib
import datetime as dt
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.stack_argument import stack_name
from comparison.recording import Side, side_as_json, side_of_json
from operations.revisions.own_folder import recorded_folder
from resource_graph.input_text import InputError


def record(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="STACK", help="Names of stacks; else all of the folder.")
    ] = None,
    over: Annotated[
        Path | None,
        typer.Option(
            "--over", metavar="FILE", help="What `record` has printed of the other side, as what runs."
        ),
    ] = None,
) -> None:
    """Print the stacks as JSON.

    Raises:
        InputError: what is to run beforehand is no recording.
        OSError: the file of the other side cannot be read.

    """
    running = None if over is None else _other_side(over)
    # Whatever the program prints is no part of the answer.
    with contextlib.redirect_stdout(sys.stderr):
        today = dt.datetime.now(dt.UTC).date()
        side = recorded_folder([stack_name(each) for each in names or ()], running, today)
    typer.echo(side_as_json(side))


def _other_side(file: Path) -> Side:
    try:
        return side_of_json(file.read_bytes())
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
