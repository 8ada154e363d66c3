"""The values that a recipe's publisher wrote, held against those that are rendered of the recipe.

recipes/published/ has a file for each recipe that was published as commands: rows of a place, the published
value (null: nothing) and the corrections that tell of the difference, where there is one. They are written by
hand from the publisher's documents, and nothing in them is read from the catalogue.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from recipes.benchmark_job import benchmark_line
from recipes.merging import dotted_options
from recipes.model import Recipe
from recipes.pod_environment import worker_command
from recipes.services import ServiceRecipe

_FOLDER = Path(__file__).parent / "published"
_AIPERF = "aiperf"


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """One value of the publisher's, and what stands in its place."""

    place: str
    """Role or aiperf, then an option of the engine, a flag, or a variable after `env`."""
    published: str | None
    ours: str | None
    """None, here and there: nothing is written."""
    corrections: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether something else is rendered."""
        return self.published != self.ours


def compared_values(recipe: Recipe) -> tuple[PublishedValue, ...]:
    """Return every published and every rendered value, in the file's order; empty without a file.

    Without a published call of AIPerf none is compared.
    """
    file = _FOLDER / f"{recipe.name}.yaml"
    if not file.is_file():
        return ()
    rows: Sequence[Sequence[Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    published = {row[0]: (_text(row[1]), tuple(row[2:])) for row in rows}
    rendered = dict(_rendered(recipe))
    if not any(place.startswith(_AIPERF) for place in published):
        rendered = {place: value for place, value in rendered.items() if not place.startswith(_AIPERF)}
    return tuple(
        PublishedValue(place, value, rendered.get(place), corrections)
        for place in dict.fromkeys((*published, *rendered))
        for value, corrections in [published.get(place, (None, ()))]
    )


def _rendered(recipe: Recipe) -> Iterator[tuple[str, str]]:
    for service in recipe.services:
        yield from ((f"{service.role} {name}", text) for name, text in _of(recipe, service))
    words = shlex.split(benchmark_line(recipe, recipe.graph_name, _AIPERF))
    yield from ((f"{_AIPERF} {flag}", text) for flag, text in _flags(words).items())


def _of(recipe: Recipe, service: ServiceRecipe) -> Iterator[tuple[str, str]]:
    options = service.engine
    if options is None:
        words, environment = service.arguments, service.environment
    else:
        started = worker_command(recipe, service, options)
        words, environment = shlex.split(started.command_line), {**started.environment, **service.environment}
        file: dict[str, Any] = yaml.safe_load(recipe.serving_engine.engine_file(options) or "{}")
        yield from ((name, _text(value) or "") for name, value in dotted_options(file))
    yield from _flags(words).items()
    yield from ((f"env {name}", value) for name, value in environment.items())


def _flags(words: Sequence[str]) -> Mapping[str, str]:
    """Return each flag with its value, its values where it is repeated, or nothing where it has none."""
    found: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], "--"], strict=True):
        if word.startswith("--"):
            value = "" if following.startswith("--") else following
            found[word] = f"{found[word]}, {value}" if word in found else value
    return found


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
