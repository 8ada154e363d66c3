"""Recipes by their names, with the mistakes of a file in the words of the person who writes it."""

import os
from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import ValidationError

from recipes import load
from recipes.load import (
    RecipeFieldError,
    load_recipe,
    recipe_file,
    recipe_names,
    recipe_type,
)
from recipes.model import Recipe
from resource_graph.spelling import nearest
from stacks.errors import Problem, SettingsError
from stacks.settings.explain_validation import problems_of


def known_recipes(folder: Path | None) -> tuple[str, ...]:
    """Return the names of the catalogue's recipes and of those in a folder of one's own, sorted."""
    own = recipe_names(folder) if folder else ()
    return tuple(sorted({*recipe_names(), *own}))


def unknown_recipe(key: str, name: str, folder: Path | None) -> Problem:
    """Return what to say of a name that is no recipe's; `key` is where it stands."""
    names = known_recipes(folder)
    # Of a name without its model the nearest may be that of another one.
    of_models = " or ".join(each for each in names if each.endswith(f"/{name}"))
    meant = nearest(name, names) if "/" in name else of_models
    return Problem(key, name, "no recipe has this name", allowed=", ".join(names), suggestion=meant)


def read_recipe(name: str, folder: Path | None = None) -> Recipe:
    """Return the recipe of that name, of the catalogue or of a folder of one's own.

    Raises:
        KeyError: no recipe has that name.
        SettingsError: its file cannot be used; all that is wrong with it.

    """
    own = folder if folder and name in recipe_names(folder) else None
    if own and name in recipe_names():
        # Whichever of the two were taken, somebody would mean the other.
        message = "the catalogue has a recipe of this name"
        problem = Problem("name", name, message, suggestion="another name, for the file and in it")
        raise SettingsError({shown_file(recipe_file(name, own)): [problem]})
    return _read(name, own)


def sound_recipes() -> Iterator[Recipe]:
    """Yield every recipe of the catalogue that can be used; of another its stack's person is told."""
    for name in recipe_names():
        try:
            yield _read(name, None)
        except SettingsError:
            continue


def shown_file(file: Path) -> str:
    """Return the file as a person names it: of the catalogue as in the repository, another from here."""
    room = load.CATALOGUE.parent
    if file.is_relative_to(room):
        return f"{room.name}/{file.relative_to(room).as_posix()}"
    return Path(os.path.relpath(file)).as_posix()


def _read(name: str, folder: Path | None) -> Recipe:
    try:
        return load_recipe(name, folder)
    except ValidationError as error:
        problems = problems_of(error, recipe_type(recipe_file(name, folder).read_text(encoding="utf-8")))
    except RecipeFieldError as error:
        problems = (_of_field(error),)
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        problems = (Problem("", None, f"cannot be read as a recipe: {' '.join(str(error).split())}"),)
    raise SettingsError({shown_file(recipe_file(name, folder)): problems})


def _of_field(error: RecipeFieldError) -> Problem:
    known = error.allowed
    meant = None if error.value is None else nearest(str(error.value), known)
    likeliest = known[0] if len(known) == 1 else meant
    return Problem(error.key, error.value, error.message, ", ".join(known) or None, suggestion=likeliest)
