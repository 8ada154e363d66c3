"""`dynamo-stack recover`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from cli.exit_codes import FAILED
from cli.output import print_document, say
from cli.stack_argument import StackArgument, refuse
from operations.commands import ClusterCommands, PulumiCommand
from operations.document import Document
from operations.errors import CommandError
from operations.project import resolved_stack
from operations.recovery.found_in_cluster import read_leftovers
from operations.recovery.recovery_plan import Plan, plan_destroy, plan_up
from operations.recovery.steps import command_line, run_steps, what_holds

_LOOK_FIRST = (
    "The first removes the lock, also of a run that is alive: look first that none is, on any machine.\n"
    "Up to five minutes after a kill its plugins may still be at work, Helm with its install."
)


class RecoverStep(Document):
    """One command of a recovery."""

    says: str
    """What it is for."""
    command: str
    """The command as it would be typed."""


class RecoverDocument(Document):
    """What an interrupted run left, and what would clear it; nothing of it is run."""

    stack: str
    interrupted: bool
    """Whether there is anything to recover."""
    found: tuple[str, ...]
    """Leftovers, as sentences."""
    steps: tuple[RecoverStep, ...]
    """Commands that `recover` would run, in their order."""
    left: tuple[str, ...]
    """Objects that are not touched, because they may hold data, or were not made by Pulumi."""
    operator_answers: bool
    """Whether graphs can be changed: false while the Dynamo operator is away."""


def recover(
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
    """Show what an interrupted run left, and clear it; exit 1 when a step fails."""
    refuse("--json", as_json and yes, "prints what would be run, and runs nothing: leave out --yes")
    try:
        _recover(stack, yes=yes, destroy=destroy, as_json=as_json)
    except KeyboardInterrupt as interruption:
        interruption.add_note("running the command again continues")
        raise


def _recover(name: str, *, yes: bool, destroy: bool, as_json: bool) -> None:
    stack = resolved_stack(name)
    pulumi = PulumiCommand.of_stack(name)
    cluster = ClusterCommands.of(stack.settings.cluster)
    leftovers = read_leftovers(stack, pulumi, cluster)
    has_pack = (pulumi.directory / "policy").is_dir()
    plan = plan_destroy(leftovers) if destroy else plan_up(leftovers, policy_pack=has_pack)
    lines = [command_line(step, pulumi, cluster) for step in plan.steps]
    if as_json:
        _print_document(name, plan, lines, operator_answers=leftovers.operator_answers)
        return
    if not plan.steps:
        say(f"stack {name}: no run was interrupted, nothing was changed")
        say(f"`{pulumi.line('cancel', '--yes')}` removes a lock that an ended run has left")
        if not leftovers.operator_answers:
            say("the Dynamo operator is away, and no graph can be changed: docs/runbook/operator-gone.md")
            return
        say(f"`dynamo-stack doctor {name}` says why it does not serve; `pulumi up` brings it to its settings")
        return
    for line in _shown(name, plan, lines):
        say(line)
    if not yes:
        _confirm(name)
    failed = run_steps(plan.steps, pulumi, cluster, say, lambda text: say(text, error=True))
    if failed is not None:
        if failed.ends:
            say(f"\n{what_holds(failed.ends, cluster)}", error=True)
        say(
            f"\nstack {name} is not recovered: `{command_line(failed, pulumi, cluster)}` failed, see above\n"
            f"  try: remove the cause, then `dynamo-stack recover {name}` again; it goes on from here",
            error=True,
        )
        raise typer.Exit(FAILED)
    say(f"\nstack {name} is {'destroyed' if destroy else 'up'}: nothing of the interrupted run is left")


def _print_document(name: str, plan: Plan, lines: Sequence[str], *, operator_answers: bool) -> None:
    """Print as JSON what an interrupted run left and what would clear it; exit 1 where there is anything."""
    document = RecoverDocument(
        stack=name,
        interrupted=bool(plan.found),
        found=plan.found,
        steps=tuple(
            RecoverStep(says=step.says, command=line) for step, line in zip(plan.steps, lines, strict=True)
        ),
        left=plan.left,
        operator_answers=operator_answers,
    )
    print_document("recover", document)
    if plan.found:
        raise typer.Exit(FAILED)


def _confirm(name: str) -> None:
    """Go on after a yes; CommandError where the answer is no, or nobody can be asked."""
    if not sys.stdin.isatty():
        raise CommandError(
            f"nothing was changed: there is no terminal to ask at\n  try: `dynamo-stack recover {name} --yes`"
        )
    if not typer.confirm("Is no such run alive, and shall these be run?"):
        raise CommandError("nothing was changed")


def _shown(name: str, plan: Plan, lines: Sequence[str]) -> Iterator[str]:
    yield f"stack {name}, interrupted:" if plan.found else f"stack {name}: no run was interrupted"
    yield from (f"  - {found}" for found in plan.found)
    yield "\nwhat will be run:"
    yield from (f"  {number}. {line}" for number, line in enumerate(lines, start=1))
    if plan.left:
        yield "\nnot touched by name: it may hold data, or is not Pulumi's; it goes with its namespace alone:"
        yield from (f"  - {left}" for left in plan.left)
    yield f"\n{_LOOK_FIRST}\n"
