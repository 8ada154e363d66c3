"""A SARIF log as code scanning reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA = json.loads(Path(__file__).with_name("subset.schema.json").read_text())


def runs_of(text: str) -> list[dict[str, Any]]:
    """The runs of a log, which has to be valid."""
    log = json.loads(text)
    jsonschema.Draft7Validator(SCHEMA).validate(log)
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            assert rules[result["ruleIndex"]] == result["ruleId"]
    return log["runs"]


def place(result: dict[str, Any]) -> tuple[str, int]:
    [location] = result["locations"]
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]
