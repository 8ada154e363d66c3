"""What a recipe does otherwise than its publisher, as data that its page shows."""

from typing import Annotated

from pydantic import Field

from recipes.strict_model import StrictModel


class Correction(StrictModel):
    """One published value that was changed or is guarded, and why."""

    id: Annotated[str, Field(pattern=r"^[A-Z][0-9]+$")]
    setting: str
    published: str
    ours: str
    why: str
    source: str
