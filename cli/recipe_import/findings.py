"""What becomes of the parts of a published graph that are not simply a value of the recipe."""

from dataclasses import dataclass
from enum import Enum

from recipes.correction import Correction
from recipes.model import Recipe


class Kind(Enum):
    """What became of it."""

    LEFT_OUT = "left out"
    """Nothing here knows what it is for, or it is no part of a recipe."""
    OTHERWISE = "otherwise"
    """What is rendered of the recipe has something else in its place, always."""
    KEPT = "kept"
    """It stands in the recipe as published; where a correction is named, the catalogue's recipe differs."""
    ASSUMED = "assumed"
    """No graph says it, so the recipe has it from one of the catalogue."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One part of the graph, and what became of it."""

    kind: Kind
    place: str
    """Where it stands: a service and its field, or a document."""
    found: str
    """What stands there; empty where that is told by the place."""
    here: str
    """What stands in its place, or why nothing does."""
    correction: Correction | None = None
    """The correction of the catalogue that says why."""


def correction_of(number: str, role: str | None, recipes: tuple[Recipe, ...]) -> Correction:
    """Return the correction of that id from the first recipe that has it, of the role where it has several.

    Raises:
        KeyError: no recipe has it.

    """
    for recipe in recipes:
        found = [each for each in recipe.corrections if each.id == number]
        of_role = [each for each in found if ("frontend" in each.setting) == (role == "frontend")]
        if found:
            return (of_role or found)[0]
    raise KeyError(number)
