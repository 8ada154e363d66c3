"""Read recipes: those of the catalogue, and those of a folder of one's own."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import create_model

from engines.registry import ENGINES, Framework
from recipes.consistency import ConsistentRecipe
from recipes.model import Recipe
from recipes.names import CATALOGUE, recipe_names
from recipes.services import ServiceRecipe

MODELS = Path(__file__).parent / "models"


class RecipeFieldError(ValueError):
    """One field of a recipe's file names what there is not."""

    def __init__(self, key: str, value: object, message: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.value = value
        self.message = message
        self.allowed = allowed


@cache
def load_recipe(name: str, folder: Path | None = None) -> Recipe:
    """Return the recipe of that name in a folder; None: in the catalogue.

    Raises:
        KeyError: no recipe has that name.
        OSError, UnicodeDecodeError, yaml.YAMLError: its file cannot be read.
        pydantic.ValidationError: the recipe's file, or that of its model, contradicts the type or itself.
        RecipeFieldError: its engine or its model is none, or it calls itself by another name than its file.

    """
    if name not in recipe_names(folder):
        raise KeyError(name)
    recipe = parse_recipe(recipe_file(name, folder).read_text(encoding="utf-8"))
    if recipe.name != name:
        raise RecipeFieldError("name", recipe.name, "not the name of its file", (name,))
    return recipe


def recipe_file(name: str, folder: Path | None = None) -> Path:
    """Return the file of the recipe of that name in a folder; None: in the catalogue."""
    return (folder or CATALOGUE) / f"{name}.yaml"


def parse_recipe(text: str) -> Recipe:
    """Return the recipe that a YAML text describes; `model` in it names a file of recipes/models/.

    Raises:
        RecipeFieldError: no engine or no model has the name that stands there.
        pydantic.ValidationError: the recipe contradicts the type or itself.

    """
    document: object = yaml.load(text, Loader=yaml.CSafeLoader)
    typed = _type_of(document)
    fields: Mapping[str, object] = (
        cast("Mapping[str, object]", document) if isinstance(document, Mapping) else {}
    )
    model = fields.get("model")
    if isinstance(model, str):
        if model not in model_names():
            raise RecipeFieldError("model", model, "no model has this name", model_names())
        described = (MODELS / f"{model}.yaml").read_text(encoding="utf-8")
        document = {**fields, "model": yaml.load(described, Loader=yaml.CSafeLoader)}
    # Of JSON, as pydantic's strict mode takes a list for a tuple only there; a date, which JSON has not, is
    # judged as text.
    return typed.model_validate_json(json.dumps(document, default=str))


def recipe_type(text: str) -> type[Recipe]:
    """Return the type of a recipe's YAML text: its workers have the options of the engine that it names.

    Raises:
        RecipeFieldError: no engine has the name that `framework` is.

    """
    return _type_of(yaml.load(text, Loader=yaml.CSafeLoader))


def model_names() -> tuple[str, ...]:
    """Return the names of all models that are described, sorted."""
    return tuple(sorted(file.stem for file in MODELS.glob("*.yaml")))


def _type_of(document: object) -> type[Recipe]:
    if not isinstance(document, Mapping):
        return ConsistentRecipe
    framework: Any = cast("Mapping[str, object]", document).get("framework")
    if framework in tuple(ENGINES):
        return _recipe_type(framework)
    message = "is missing" if framework is None else "no engine has this name"
    raise RecipeFieldError("framework", framework, message, tuple(ENGINES))


@cache
def _recipe_type(framework: Framework) -> type[Recipe]:
    # Types that are made of values, which no type checker follows.
    made: Any = create_model
    worker = made("ServiceRecipe", __base__=ServiceRecipe, engine=(ENGINES[framework].options | None, None))
    return made("Recipe", __base__=ConsistentRecipe, services=(tuple[worker, ...], ...))
