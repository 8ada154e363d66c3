"""How far each recipe has been tried on each GPU, by the recipe's name."""

from recipes.evidence import Evidence, Level, evidence_on
from recipes.load import load_recipe

__all__ = ["Evidence", "Level", "evidence"]


def evidence(recipe: str, accelerator: str) -> Evidence:
    """How far this project has tried the recipe on the GPU."""
    return evidence_on(load_recipe(recipe), accelerator)
