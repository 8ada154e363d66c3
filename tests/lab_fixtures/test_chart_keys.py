"""The stand-in chart's keys: those of the real one and no other. Needs no Helm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from lab.charts import CHARTS_DIRECTORY

CHART = CHARTS_DIRECTORY / "dynamo-platform"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))

# The keys of ai-dynamo/dynamo deploy/helm/charts/platform at d50a02f75, written out by hand.
UPSTREAM_KEYS = (Path(__file__).parent / "upstream_values_keys.txt").read_text(encoding="utf-8").splitlines()


def nested(path: str, value: Any) -> dict[str, Any]:
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def leaf(path: str) -> Any:
    value = VALUES
    for key in path.split("."):
        value = value[key]
    return value


def complaints(values: dict[str, Any]) -> list[str]:
    return [error.message for error in Draft7Validator(SCHEMA).iter_errors(values)]


@pytest.mark.parametrize("path", UPSTREAM_KEYS)
def test_every_upstream_key_has_a_default_that_the_schema_accepts(path: str) -> None:
    assert complaints(nested(path, leaf(path))) == []


def test_the_default_values_hold_no_key_beyond_the_upstream_ones() -> None:
    known = set(UPSTREAM_KEYS)

    def unknown(values: Any, path: str) -> list[str]:
        if path in known:
            return []
        if not isinstance(values, dict):
            return [path]
        return [each for key, value in values.items() for each in unknown(value, f"{path}.{key}".lstrip("."))]

    assert unknown(VALUES, "") == []


def parents() -> list[str]:
    """Every object whose keys are all known, and the top."""
    found = {path.rpartition(".")[0] for path in UPSTREAM_KEYS}
    return sorted({"", *found} - {"kai-scheduler.global"})


@pytest.mark.parametrize("parent", parents())
def test_an_unknown_key_is_refused_at_every_level(parent: str) -> None:
    path = f"{parent}.installl".lstrip(".")
    assert len(complaints(nested(path, True))) == 1
    assert "'installl' was unexpected" in complaints(nested(path, True))[0]


def test_an_unknown_component_of_kai_must_at_least_be_a_map() -> None:
    assert complaints({"kai-scheduler": {"binder": {"resources": {}}}}) == []
    assert complaints({"kai-scheduler": {"binder": True}}) != []
