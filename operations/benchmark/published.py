"""What others have published of the model: published.yaml."""

import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, TypeAdapter

from operations.benchmark.thresholds import ShapeText
from recipes.strict_model import StrictModel

_FILE = Path(__file__).with_name("published.yaml")


class PublishedFigure(StrictModel):
    """One measurement of somebody else's."""

    source: str
    date: Annotated[str, Field(pattern=r"^20[0-9]{2}-[0-9]{2}(-[0-9]{2})?$")]
    """When it was published."""
    accelerator: str
    """Name of the GPU; where `shape` stands, one of hardware.ACCELERATORS."""
    system: str
    """What was measured, as a phrase."""
    shape: ShapeText | None = None
    """Tokens of prompt and answer; None where the workload was another, so that no run compares with it."""
    output_tokens_per_second_per_gpu: float
    output_tokens_per_second_per_user: float | None = None
    note: str | None = None


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Return all of them."""
    # As JSON, because pydantic's strict mode takes a list for a tuple only there.
    text = json.dumps(yaml.load(_FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
    return TypeAdapter(tuple[PublishedFigure, ...]).validate_json(text)


def comparable_figures(
    shapes: Collection[str], accelerators: Collection[str], *, is_mock: bool
) -> tuple[PublishedFigure, ...]:
    """Return those of the same token counts on the same GPU; none for a mock engine.

    Where the GPU is not known, nothing compares.
    """
    if is_mock:
        return ()
    return tuple(
        figure
        for figure in published_figures()
        if figure.shape in shapes and figure.accelerator in accelerators
    )
