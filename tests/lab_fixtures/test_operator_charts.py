"""The stand-in charts of what makes GPUs usable: their keys, and what they make of the values of others."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from lab.charts import CHARTS, CHARTS_DIRECTORY

NAMES = [chart.name for chart in CHARTS if chart.name != "dynamo-platform"]


def complaints(chart: str, values: dict[str, Any]) -> list[str]:
    schema = json.loads((CHARTS_DIRECTORY / chart / "values.schema.json").read_text(encoding="utf-8"))
    return [error.message for error in Draft7Validator(schema).iter_errors(values)]


@pytest.mark.parametrize("chart", NAMES)
def test_the_defaults_are_accepted(chart: str) -> None:
    values = yaml.safe_load((CHARTS_DIRECTORY / chart / "values.yaml").read_text(encoding="utf-8"))
    assert complaints(chart, values) == []


@pytest.mark.parametrize("chart", NAMES)
def test_a_key_that_the_chart_does_not_have_is_refused(chart: str) -> None:
    (complaint,) = complaints(chart, {"installl": True})
    assert "'installl' was unexpected" in complaint


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        ("gpu-operator", {"driver": {"enable": False}}),
        ("gpu-operator", {"dcgmExporter": {"serviceMonitor": {"enable": True}}}),
        ("gpu-operator", {"mig": {"strategy": "double"}}),
        ("gpu-operator", {"driver": {"enabled": "false"}}),
        ("dra-driver-nvidia-gpu", {"resources": {"computeDomain": {"enabled": True}}}),
        ("dra-driver-nvidia-gpu", {"kubeletPlugin": {"toleration": []}}),
        ("aws-efa-k8s-device-plugin", {"supportedInstanceLabels": {"value": []}}),
        ("kube-prometheus-stack", {"prometheus": {"podMonitorSelectorNilUsesHelmValues": False}}),
    ],
)
def test_a_misspelt_or_misplaced_key_is_refused(chart: str, values: dict[str, Any]) -> None:
    assert len(complaints(chart, values)) == 1


def test_an_affinity_that_is_taken_away_is_accepted() -> None:
    assert complaints("dra-driver-nvidia-gpu", {"controller": {"affinity": None}}) == []
