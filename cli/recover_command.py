"""The command line of `dynamo-stack recover`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer

from cli.stack_argument import StackArgument


def recover_command(
    stack: StackArgument,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="No run of this stack is alive: show the steps and run them.")
    ] = False,
    destroy: Annotated[
        bool, typer.Option("--destroy", help="End with the stack destroyed instead of up.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON what would be run, and run nothing.")
    ] = False,
) -> None:
    """Clear what an interrupted run left, and finish it."""
    from cli.recover import print_recovery, recover

    if as_json:
        if yes:
            raise typer.BadParameter(
                "prints what would be run, and runs nothing: leave out --yes",
                param_hint="--json",
            )
        print_recovery(stack, destroy=destroy)
        return
    recover(stack, yes=yes, destroy=destroy)
