"""The command line of `dynamo-stack preview`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer

from cli.stack_argument import StackArgument


def preview_command(
    stack: StackArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Show what `pulumi up` would do, with credentials and cluster, in the form of `diff`; changes nothing.

    Exit 0 for nothing, 1 for changes, 2 for what would be refused, 3 where the engine could not look.
    """
    from cli.preview import preview

    preview(stack, as_json=as_json)
