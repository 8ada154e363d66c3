"""How far each recipe has been tried on each GPU: no text of this project claims more."""

from dataclasses import dataclass
from enum import Enum


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


@dataclass(frozen=True, slots=True)
class Evidence:
    """A level and what stands behind it."""

    level: Level
    reason: str


_BY_RECIPE_AND_ACCELERATOR = {
    ("gpt-oss-120b/trtllm-disagg", "B200"): Evidence(
        Level.SCHEDULED, "stack dev runs in the lab; the publisher validated its own version of it on GPUs"
    ),
}
_NOTHING_RUN = Evidence(Level.RENDERED, "the lab has not deployed it on this GPU")


def evidence(recipe: str, accelerator: str) -> Evidence:
    """How far this project has tried the recipe on the GPU."""
    return _BY_RECIPE_AND_ACCELERATOR.get((recipe, accelerator), _NOTHING_RUN)
