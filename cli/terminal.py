"""Questions to the person at the terminal."""

import sys

import typer

from operations.errors import CommandError


def confirm(question: str, *, otherwise: str) -> None:
    """Ask, and go on after a yes.

    Args:
        question: that yes or no answers.
        otherwise: the command that needs no answer.

    Raises:
        CommandError: the answer is no, or there is no terminal.

    """
    require_terminal(otherwise)
    if not typer.confirm(question):
        raise CommandError("nothing was changed")


def require_terminal(otherwise: str) -> None:
    """End where nobody can be asked; CommandError names the command that needs no answer."""
    if not sys.stdin.isatty():
        raise CommandError(f"nothing was changed: there is no terminal to ask at\n  try: {otherwise}")
