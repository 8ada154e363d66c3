"""`dynamo-stack recover`."""

import sys

import typer

from cli.errors import CommandError
from cli.exit_codes import FAILED
from cli.output import say
from cli.project import resolved_stack
from cli.pulumi_command import PulumiCommand
from cli.recovery.cluster import ClusterCommands
from cli.recovery.plan import Plan, plan_destroy, plan_up
from cli.recovery.read import read_remains
from cli.recovery.run import command_line, run_steps


def recover(name: str, *, yes: bool, destroy: bool, ended: str | None, end_waiting: bool) -> None:
    """Show what an interrupted run left, and clear it; exit 1 when a step fails.

    Raises:
        CommandError: nothing could be done, and nothing was changed.
        SettingsError: the stack's settings cannot be used.

    """
    stack = resolved_stack(name)
    pulumi = PulumiCommand.of_stack(name)
    cluster = ClusterCommands.of(stack.cluster)
    remains = read_remains(
        stack,
        pulumi,
        cluster,
        ended=ended,
        say=say,
        may_end=lambda: _may_end(yes=yes, end_waiting=end_waiting),
    )
    if destroy:
        plan = plan_destroy(remains)
    else:
        plan = plan_up(remains, policy_pack=(pulumi.directory / "policy").is_dir())
    if not plan.steps:
        say(f"stack {name}: no run was interrupted, nothing was changed")
        if not remains.operator_answers:
            say("the Dynamo operator is away, and no graph can be changed: docs/runbook/operator-gone.md")
            return
        say("`pulumi up` brings it to its settings")
        return
    _show(name, plan, [command_line(step, pulumi, cluster) for step in plan.steps])
    if not yes:
        _ask(name)
    failed = run_steps(plan.steps, pulumi, cluster, say)
    if failed is not None:
        say(
            f"\nstack {name} is not recovered: `{command_line(failed, pulumi, cluster)}` failed, see above\n"
            f"  try: remove the cause, then `dynamo-stack recover {name}` again; it goes on from here",
            error=True,
        )
        raise typer.Exit(FAILED)
    say(f"\nstack {name} is {'destroyed' if destroy else 'up'}: nothing of the interrupted run is left")


def _show(name: str, plan: Plan, lines: list[str]) -> None:
    say(f"stack {name}, interrupted:" if plan.found else f"stack {name}: no run was interrupted")
    for found in plan.found:
        say(f"  - {found}")
    say("\nwhat will be run:")
    for number, line in enumerate(lines, start=1):
        say(f"  {number}. {line}")
    if plan.left:
        say("\nnot touched by name, because it may hold data; it stays unless its namespace goes:")
        for left in plan.left:
            say(f"  - {left}")
    say("")


def _may_end(*, yes: bool, end_waiting: bool) -> bool:
    harmless = "it has sent all its requests and only waits: nothing is lost when it ends"
    if end_waiting:
        say(f"{harmless}. It is ended now, as --end-waiting says.")
        return True
    if yes or not sys.stdin.isatty():
        say(f"{harmless}. To end it now, press Ctrl-C and add --end-waiting.")
        return False
    say(f"{harmless}.")
    return typer.confirm("End it now?")


def _ask(name: str) -> None:
    if not sys.stdin.isatty():
        raise CommandError(
            f"nothing was changed: there is no terminal to ask at\n  try: `dynamo-stack recover {name} --yes`"
        )
    if not typer.confirm("Run these?"):
        raise CommandError("nothing was changed")
