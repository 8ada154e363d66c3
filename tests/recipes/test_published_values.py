"""What the publisher wrote as commands, by hand from its documents, against what is rendered of each recipe.

published/ has a file for each such recipe: rows of a place, the published value (null: nothing) and the
corrections that tell of the difference, where there is one. Nothing in them is read from the catalogue.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from recipes.benchmark_job import benchmark_line
from recipes.load import load_recipe, recipe_names
from recipes.model import Recipe
from recipes.pod_environment import started_by, worker_start
from recipes.services import ServiceRecipe, dotted_options
from tests.recipes.test_published_settings import TABLES

FOLDER = Path(__file__).parent / "published"
COMPARED = [name for name in recipe_names() if (FOLDER / f"{name}.yaml").is_file()]


def test_every_corrected_recipe_is_compared_with_what_was_published() -> None:
    corrected = {name for name in recipe_names() if load_recipe(name).corrections}
    # Of these two the whole graph is compared.
    assert {*COMPARED} == corrected - {*TABLES}


@pytest.mark.parametrize("name", COMPARED)
def test_a_value_differs_where_a_correction_says_so_and_nowhere_else(name: str) -> None:
    recipe = load_recipe(name)
    rows: Sequence[Sequence[Any]] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    published = {row[0]: (_text(row[1]), row[2:]) for row in rows}
    rendered = dict(_rendered(recipe))
    # Without a published call of AIPerf none is compared.
    has_benchmark = any(place.startswith("aiperf") for place in published)
    places = dict.fromkeys(
        (*published, *(each for each in rendered if has_benchmark or "aiperf" not in each))
    )
    listed = {correction.id for correction in recipe.corrections}
    for place in places:
        value, corrections = published.get(place, (None, []))
        assert (value != rendered.get(place)) == bool(corrections), place
        assert {*corrections} <= listed, place


def _rendered(recipe: Recipe) -> Iterator[tuple[str, str | None]]:
    for service in recipe.services:
        yield from ((f"{service.role} {name}", text) for name, text in _of(recipe, service))
    words = shlex.split(benchmark_line(recipe, recipe.graph_name, "aiperf"))
    yield from ((f"aiperf {flag}", text) for flag, text in _flags(words).items())


def _of(recipe: Recipe, service: ServiceRecipe) -> Iterator[tuple[str, str | None]]:
    words, environment = service.arguments, service.environment
    if service.engine is not None:
        engine, start = started_by(recipe), worker_start(recipe, service)
        words = tuple(shlex.split(engine.command_line(service.engine, start)))
        environment = {**engine.environment(start), **service.environment}
        file: dict[str, Any] = yaml.safe_load(recipe.serving_engine.engine_file(service.engine) or "{}")
        yield from ((name, _text(value) or "") for name, value in dotted_options(file))
    yield from _flags(words).items()
    yield from ((f"env {name}", value) for name, value in environment.items())


def _flags(words: Sequence[str]) -> Mapping[str, str]:
    """Each flag with its value, its values where it is repeated, or nothing where it has none."""
    found: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], "--"], strict=True):
        if word.startswith("--"):
            value = "" if following.startswith("--") else following
            found[word] = f"{found[word]}, {value}" if word in found else value
    return found


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
