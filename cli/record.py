"""`dynamo-stack record`."""

import contextlib
import datetime as dt
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.stack_argument import stack_name
from comparison.recording import RecordingFormatError, Side, side_as_json, side_of_json
from operations.errors import CommandError
from operations.revisions.own_folder import recorded_folder


def record(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[STACK …]", help="Names of stacks; else all of the folder.")
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
        CommandError: what is to run beforehand is no recording.
        OSError: the file of the other side cannot be read.

    """
    running = None if over is None else _read(over)
    # Whatever the program prints is no part of the answer.
    with contextlib.redirect_stdout(sys.stderr):
        today = dt.datetime.now(dt.UTC).date()
        side = recorded_folder([stack_name(each) for each in names or ()], running, today)
    typer.echo(side_as_json(side))


def _read(file: Path) -> Side:
    try:
        return side_of_json(file.read_bytes())
    except RecordingFormatError as error:
        raise CommandError(
            f"--over {file}: {error}\n  try: a file that `dynamo-stack record` of this release has printed"
        ) from None
