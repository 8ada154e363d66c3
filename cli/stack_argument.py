"""What several commands take, the name of a stack as a person types it and --json, and how they refuse."""

from pathlib import Path
from typing import Annotated

import typer

from recipes.names import recipe_names
from stacks.stack_files import PREFIX, SUFFIX, list_stacks, stack_directory


def complete_stack(context: typer.Context, incomplete: str) -> list[str]:
    """Return the stacks here whose names, or whose files' names, begin so."""
    if context.params.get("file"):
        # Of `check --file` they are more files, which the shell itself completes.
        return []
    names = list_stacks(stack_directory(Path.cwd()))
    if incomplete.startswith(PREFIX):
        names = [f"{PREFIX}{name}{SUFFIX}" for name in names]
    return [name for name in names if name.startswith(incomplete)]


def complete_recipe(context: typer.Context, incomplete: str) -> list[str]:
    """Return the recipes of the catalogue, and of the folder that --folder names, that begin so."""
    folder: Path | None = context.params.get("folder")
    own = recipe_names(folder) if folder is not None else ()
    return [name for name in sorted({*recipe_names(), *own}) if name.startswith(incomplete)]


def stack_name(text: str) -> str:
    """The stack that a person means, who may have let the shell complete its file's name."""
    return text.removeprefix("./").removeprefix("Pulumi.").removesuffix(".yaml")


def _stack_name_or_none(text: str | None) -> str | None:
    if text is not None and "://" in text:
        # Not said again: it may carry credentials.
        raise typer.BadParameter("is an address, which `smoke` and `bench` take as --url URL")
    return None if text is None else stack_name(text)


StackArgument = Annotated[
    str,
    typer.Argument(
        metavar="STACK",
        help="Name of the stack, or of its file here: dev or Pulumi.dev.yaml.",
        callback=stack_name,
        autocompletion=complete_stack,
    ),
]

OptionalStackArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="STACK",
        help="Name of a stack, or of its file here.",
        callback=_stack_name_or_none,
        autocompletion=complete_stack,
    ),
]
"""Of a command that takes an address instead."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def refuse(option: str, is_typed: object, said: str) -> None:
    """Raise typer.BadParameter about an option that was typed where it must not be."""
    if is_typed:
        raise typer.BadParameter(said, param_hint=option)
