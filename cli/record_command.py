"""The command line of `dynamo-stack record`."""

# ruff: noqa: PLC0415
# Each command imports what it needs when it runs: Pulumi's SDK alone takes longer to load than `list` runs.

from pathlib import Path
from typing import Annotated

import typer

from cli.stack_argument import stack_name


def record_command(
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
    """Print stacks as JSON, for `dynamo-stack diff`.

    Each stack of the folder is recorded as the code beside it makes it: every resource, pool, price and
    finding, what is fixed when it is created, and with --over what the update does to the stack that the
    file describes. No secret is in the answer: a mark with a fingerprint stands for each, so that a change
    shows. A stack that cannot be used is listed with the reason, and the command goes on. `diff` runs this
    for either side in that side's own environment, without credentials; nobody else needs it.
    """
    from cli.record import record

    record([stack_name(name) for name in names or []], over)
