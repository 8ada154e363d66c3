"""What a recipe does otherwise than its publisher, and how far it was tried: no text claims more."""

from enum import Enum
from typing import Annotated

from pydantic import Field

from recipes.strict_model import StrictModel


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


class Correction(StrictModel):
    """One published value that was changed or is guarded, and why."""

    id: Annotated[str, Field(pattern=r"^[A-Z][0-9]+$")]
    setting: str
    published: str
    ours: str
    why: str
    source: str
