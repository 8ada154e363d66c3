"""JSON schema of a recipe file, by which editors complete and check it while it is typed.

Written from the recipe's own model. To bring recipes/recipe.schema.json up to date:
`python -m stacks.settings.recipe_schema`.
"""

import json
from typing import Any

from recipes.files import SCHEMA_FILE
from recipes.load import model_names
from recipes.model import Recipe
from stacks.settings.schema import definitions_of


def recipe_schema() -> dict[str, Any]:
    """Return the schema; a model is described in the file, or named as one of recipes/models/."""
    definitions = definitions_of(Recipe)
    recipe = definitions.pop(Recipe.__name__)
    described = recipe["properties"]["model"]
    recipe["properties"]["model"] = {"anyOf": [{"enum": list(model_names())}, described]}
    return {
        # The draft that editors support completely.
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Recipe",
        **recipe,
        "$defs": dict(sorted(definitions.items())),
    }


def recipe_schema_text() -> str:
    """Return what recipes/recipe.schema.json has to hold."""
    return json.dumps(recipe_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(recipe_schema_text(), encoding="utf-8")
