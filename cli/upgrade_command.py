"""The command line of `dynamo-stack upgrade`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer

from cli.stack_argument import StackArgument


def upgrade_command(
    stack: StackArgument,
    to: Annotated[
        str, typer.Option("--to", metavar="VERSION", help="Release of the Dynamo platform, such as 1.6.2.")
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: show it, and write the file.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show it, and write nothing.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead; with --yes or --dry-run.")
    ] = False,
) -> None:
    """Write another release of the Dynamo platform into a stack's file; say first what restarts."""
    from cli.upgrade import upgrade

    if yes and dry_run:
        raise typer.BadParameter("one writes and the other does not", param_hint="--yes --dry-run")
    if as_json and not (yes or dry_run):
        raise typer.BadParameter("asks nobody: add --yes or --dry-run", param_hint="--json")
    upgrade(stack, to, yes=yes, dry_run=dry_run, as_json=as_json)
