"""The command line of `dynamo-stack recover`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer

from cli.stack_argument import StackArgument


def recover_command(
    stack: StackArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: show the steps and run them.")] = False,
    destroy: Annotated[
        bool, typer.Option("--destroy", help="End with the stack destroyed instead of up.")
    ] = False,
    ended: Annotated[
        str | None,
        typer.Option("--ended", metavar="HOST", help="The run that locks the stack from HOST has ended."),
    ] = None,
    end_waiting: Annotated[
        bool,
        typer.Option("--end-waiting", help="End processes of the killed run that can do no more than wait."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON what would be run, and run nothing.")
    ] = False,
) -> None:
    """Clear what an interrupted run left, and finish it."""
    from cli.recover import print_recovery, recover

    if as_json:
        if yes or end_waiting:
            raise typer.BadParameter(
                "prints what would be run, and runs nothing: leave out --yes and --end-waiting",
                param_hint="--json",
            )
        print_recovery(stack, destroy=destroy, ended=ended)
        return
    recover(stack, yes=yes, destroy=destroy, ended=ended, end_waiting=end_waiting)
