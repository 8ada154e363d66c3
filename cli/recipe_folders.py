"""Where recipes of a person's own lie, and the recipe that a name means there or in the catalogue."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from operations.errors import CommandError
from recipes.load import recipe_names
from recipes.model import Recipe
from stacks.errors import SettingsError
from stacks.plan.recipe_files import known_recipes, nearest_recipe, read_recipe
from stacks.settings.load import load_stack
from stacks.stack_files import list_stacks, stack_directory

FolderOption = Annotated[
    Path | None,
    typer.Option("--folder", metavar="DIR", help="Recipes of your own; else where the stacks here say."),
]


def named_folders(directory: Path) -> tuple[Path, ...]:
    """Return the folders that the stacks there name, each once."""
    return tuple(dict.fromkeys(_folders(directory)))


def searched_folders(typed: Path | None) -> tuple[Path, ...]:
    """Return the folder that a person typed, or else those that the stacks here name.

    Raises:
        CommandError: the typed folder is none.

    """
    if typed is None:
        return named_folders(stack_directory(Path.cwd()))
    if not typed.is_dir():
        raise CommandError(f"--folder {typed}: there is no such folder")
    return (typed,)


def folder_to_write(typed: Path | None) -> Path:
    """Return where a new recipe goes: the folder that a person typed, or the one that the stacks here name.

    Raises:
        CommandError: they name none, or several.

    """
    if typed is not None:
        return typed
    folders = named_folders(stack_directory(Path.cwd()))
    if len(folders) == 1:
        return folders[0]
    if not folders:
        raise CommandError(
            "--folder is needed: no stack here names a folder of recipes\n"
            "  try: --folder our-recipes, and in the stack's file serving.recipeFolder: our-recipes"
        )
    shown = ", ".join(map(str, folders))
    raise CommandError(f"--folder is needed: the stacks here name several\n  allowed: {shown}")


def find_recipe(name: str, folders: tuple[Path, ...]) -> tuple[Recipe, Path | None]:
    """Return the recipe of that name, and the folder in which it lies; None: the catalogue.

    Raises:
        CommandError: there is none, or one in several folders.
        SettingsError: its file cannot be used.

    """
    own = [folder for folder in folders if name in recipe_names(folder)]
    if len(own) > 1:
        shown = ", ".join(map(str, own))
        raise CommandError(
            f"{name}: there is a recipe of this name in several folders\n  allowed: --folder, of {shown}"
        )
    if own or name in recipe_names():
        folder = own[0] if own else None
        return read_recipe(name, folder), folder
    names = sorted({each for folder in (None, *folders) for each in known_recipes(folder)})
    meant = nearest_recipe(name, names)
    hint = f"\n  try: {meant}" if meant else ""
    if not folders:
        hint += "\n  no stack here names a folder of recipes (serving.recipeFolder): --folder DIR names one"
    raise CommandError(f"{name}: no recipe has this name\n  allowed: {', '.join(names)}{hint}")


def _folders(directory: Path) -> Iterator[Path]:
    for name in list_stacks(directory):
        # A stack file that is wrong is told to the person who names the stack.
        with suppress(SettingsError):
            folder = load_stack(name, directory).serving.recipe_folder
            if folder is not None:
                yield directory / folder
