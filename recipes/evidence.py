"""How far each recipe has been tried on each GPU: no text of this project claims more."""

from enum import Enum
from typing import TYPE_CHECKING

from recipes.strict_model import StrictModel

if TYPE_CHECKING:
    from recipes.model import Recipe


class Level(Enum):
    """Each level includes the ones before it."""

    RENDERED = "rendered"
    """The program produces its objects, and they pass the rules."""
    ADMITTED = "admitted"
    """An API server with the operator's definitions accepts them."""
    SCHEDULED = "scheduled (simulated)"
    """The Kubernetes scheduler places every pod on simulated nodes; no container ran."""
    MOCK_SERVED = "mock-served"
    """Requests went through the real frontend to a mock engine."""
    MEASURED = "measured on GPU"
    """It served requests on the GPU itself."""


class Evidence(StrictModel):
    """How far a recipe has been tried on one GPU, and what stands behind it."""

    accelerator: str
    """Name of the accelerator, a key of hardware.ACCELERATORS."""
    level: Level
    reason: str


def evidence_on(recipe: "Recipe", accelerator: str) -> Evidence:
    """Return how far this project has tried the recipe on the GPU."""
    for entry in recipe.evidence:
        if entry.accelerator == accelerator:
            return entry
    reason = "nothing but this rendering has been tried on this GPU"
    if accelerator not in recipe.validated_on:
        reason = f"not validated upstream; {reason}"
    return Evidence(accelerator=accelerator, level=Level.RENDERED, reason=reason)
