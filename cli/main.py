"""The command `dynamo-stack`."""

# ruff: noqa: PLC0415
# What a command does not need is not loaded: Pulumi's SDK alone takes longer to load than `list` runs.

import errno
import gc
import os
import signal
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperGroup

from cli.commands import COMMANDS
from cli.ending_signals import EndedBySignalError, ending_signals
from cli.exit_codes import SIGNALLED, UNREADABLE

_ALLOCATIONS = 100_000
"""Before Python looks for cycles; 700 (2,000 from 3.12 on) where nobody says otherwise."""

_OUTPUT_ENDS = {errno.EPIPE, errno.ENOSPC}


class _Commands(TyperGroup):
    """What the help lists; a command itself is loaded when it is the one that was typed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that was typed."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, COMMANDS[str(name)].load(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what a person did wrong is said in words, never as a traceback."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, typer.Abort) as error:
            # What ends a question reaches us as typer's Abort.
            interruption = error.__context__ if isinstance(error, typer.Abort) else error
            if not isinstance(interruption, KeyboardInterrupt):
                raise
            ended = interruption.signal if isinstance(interruption, EndedBySignalError) else None
            notes: list[str] = getattr(interruption, "__notes__", [])
            _say("\n" + "; ".join((f"ended by {ended.name}" if ended else "interrupted", *notes)))
            raise typer.Exit(SIGNALLED + (ended or signal.SIGINT)) from None
        except Exception as error:
            # None while the command itself is loaded, as by a recipe of the project that cannot be read.
            typed = COMMANDS.get(ctx.invoked_subcommand)
            _end_in_words(error, typed.failure if typed else UNREADABLE)
            raise

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the command line; --help and --version are printed here already."""
        try:
            return super().make_context(*args, **more)
        except OSError as error:
            _end_in_words(error, UNREADABLE)
            raise


def _end_in_words(error: Exception, failure: int) -> None:
    """Say what a person did wrong and raise typer.Exit; where it is to be debugged, do nothing."""
    if isinstance(error, typer.BadParameter) and isinstance(error.param, TyperArgument) and not error.message:
        # Without a message of its own it says that the argument was not typed.
        _say(_missing(error.param, error.ctx))
        raise typer.Exit(failure) from None
    if isinstance(error, typer.TyperException):
        # A command line that cannot be read, which typer shows.
        error.exit_code = failure
        return
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_ENDS:
        # Python would write the rest as it ends, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        error.filename = "standard output or a file"
    if isinstance(error, BrokenPipeError):
        # Who reads has gone, as `head` does: no verdict.
        raise typer.Exit(SIGNALLED + signal.SIGPIPE) from None
    message = _message_for_a_person(error)
    if message is not None:
        _say(message)
        raise typer.Exit(failure) from None


def _missing(argument: TyperArgument, context: Any) -> str:
    """Return that a name was not typed, and which there are: those that Tab offers."""
    names: list[str] = []
    # A folder that is gone has no stacks.
    with suppress(OSError):
        names = [each.value for each in argument.shell_complete(context, "")]
    allowed = f"\n  allowed: {', '.join(names)}" if names else ""
    title = str(argument.get_error_hint()).strip("'")
    return f"{title} is missing{allowed}\n  try: {context.command_path} --help"


app = typer.Typer(
    name="dynamo-stack",
    cls=_Commands,
    help="List, explain, render and check Dynamo stacks; try one, recover one that a run left half done.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _only_listed() -> None:
    """Stands in the help for a command that is not loaded."""


for _name, _listed in COMMANDS.items():
    app.command(_name, help=_listed.help, rich_help_panel=_listed.panel, hidden=_listed.is_hidden)(
        _only_listed
    )


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"dynamo-stack {version('dynamo-stack')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """What stands before the name of a command."""


def main() -> None:
    """Run the command line."""
    # A command loads a thousand modules and ends: looking for cycles among what they define, which stays,
    # would take a fifth of its time.
    gc.set_threshold(_ALLOCATIONS)
    with ending_signals():
        app()


def _say(text: str) -> None:
    from cli.output import say

    say(text, error=True)


def _message_for_a_person(error: Exception) -> str | None:
    from operations.errors import CommandError
    from resource_graph import DuplicateResourceError, RecordingError
    from resource_graph.input_text import InputError
    from stacks.errors import SettingsError

    if isinstance(error, OSError) and error.filename is not None:
        # A folder that cannot be read, a disk that is full: not to be debugged.
        return f"{error.filename}: {error.strerror}"
    known = SettingsError | InputError | DuplicateResourceError | RecordingError | CommandError
    return str(error) if isinstance(error, known) else None
