"""Read recipes from the catalogue."""

import json
from functools import cache
from pathlib import Path

import yaml

from recipes.model import Recipe

CATALOGUE = Path(__file__).parent / "catalogue"


@cache
def recipe_names() -> tuple[str, ...]:
    """Return the names of all recipes, `<model>/<variant>`, sorted."""
    files = CATALOGUE.glob("*/*.yaml")
    return tuple(sorted(file.relative_to(CATALOGUE).with_suffix("").as_posix() for file in files))


@cache
def load_recipe(name: str) -> Recipe:
    """Return the recipe of that name.

    Raises:
        KeyError: no recipe has that name.
        pydantic.ValidationError: the recipe's file contradicts the model or itself.

    """
    if name not in recipe_names():
        raise KeyError(name)
    return parse_recipe((CATALOGUE / f"{name}.yaml").read_text(encoding="utf-8"))


def parse_recipe(text: str) -> Recipe:
    """Return the recipe that a YAML text describes.

    Validated as JSON, because pydantic's strict mode takes a list for a tuple only there.
    """
    return Recipe.model_validate_json(json.dumps(yaml.load(text, Loader=yaml.CSafeLoader)))
