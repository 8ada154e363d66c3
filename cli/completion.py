"""Words that a shell completes: a person waits at the keyboard, so nothing here reads a file."""

from pathlib import Path

import typer

from recipes.names import CATALOGUE, names_in
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
    own = names_in(folder) if folder is not None else ()
    return [name for name in sorted({*names_in(CATALOGUE), *own}) if name.startswith(incomplete)]
