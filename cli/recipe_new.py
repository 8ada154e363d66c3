"""`dynamo-stack recipes new`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from cli.output import say
from cli.recipe_folders import FolderOption, find_recipe, folder_to_write, searched_folders
from cli.stack_argument import complete_recipe
from operations.errors import CommandError
from recipes.files import RECIPE_NAME, copied_recipe
from recipes.load import CATALOGUE, recipe_file, recipe_names


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the new recipe, such as ours/long-prompts.")
    ],
    original: Annotated[
        str,
        typer.Option("--from", metavar="RECIPE", help="The recipe to copy.", autocompletion=complete_recipe),
    ],
    folder: FolderOption = None,
) -> None:
    """Write a copy of a recipe; nothing is overwritten."""
    file = new_file(name, folder_to_write(folder))
    # The typed folder may be there only afterwards.
    known = folder if folder and folder.is_dir() else None
    _, found = find_recipe(original, searched_folders(known))
    text = recipe_file(original, found).read_text(encoding="utf-8")
    write_new(file, copied_recipe(text, original=original, name=name, file=file))
    say(f"{file}: {original} under another name; change what you want to differ")
    say_what_next(name, file)


def new_file(name: str, folder: Path) -> Path:
    """Return the file of a recipe that is to be written.

    Raises:
        CommandError: the name is none, or taken.

    """
    if not RECIPE_NAME.fullmatch(name):
        raise CommandError(
            f"{name}: not a name for a recipe\n"
            "  allowed: small letters, digits, dots, hyphens and underscores, with one slash at most"
        )
    file = recipe_file(name, folder)
    if name in recipe_names() and folder.resolve() != CATALOGUE.resolve():
        raise CommandError(f"{name}: the catalogue has a recipe of this name\n  try: another name")
    if file.exists():
        raise CommandError(f"{file}: exists, and nothing is overwritten\n  try: another name")
    return file


def write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as new_one:
        new_one.write(text)


def say_what_next(name: str, file: Path) -> None:
    """Say how a stack serves the recipe."""
    folder = file.parents[name.count("/")]
    say(f"  in a stack's file: serving.recipe: {name} and serving.recipeFolder: {folder}")
    # A folder that no stack names yet is not searched.
    known = folder.resolve() in {each.resolve() for each in searched_folders(None)}
    where = "" if known else f" --folder {shlex.quote(str(folder))}"
    say(f"  then: `dynamo-stack recipes show {name}{where}` and `dynamo-stack explain STACK`")
