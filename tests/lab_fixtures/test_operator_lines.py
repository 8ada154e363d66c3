"""The lines of operator and chart that the lab stands in for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from lab.charts import INDEX_FILE, package_charts
from lab.custom_resources import custom_resource_definitions
from lab.dynamo_operator.admission.defaulting import default_patch
from lab.operator_lines import operator_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("version", "stored", "definitions"),
    [("1.2.1", "v1alpha1", 7), ("1.4.2", "v1alpha1", 9), ("1.6.2", "v1beta1", 7)],
)
def test_graphs_and_their_parts_are_stored_as_the_line_does(
    version: str, stored: str, definitions: int
) -> None:
    found = custom_resource_definitions(operator_line(version))
    assert len(found) == definitions
    for kind in ("DynamoGraphDeployment", "DynamoComponentDeployment"):
        [definition] = [each for each in found if each["spec"]["names"]["kind"] == kind]
        versions = definition["spec"]["versions"]
        assert {each["name"] for each in versions if each["served"]} == {"v1alpha1", "v1beta1"}
        assert [each["name"] for each in versions if each["storage"]] == [stored]


def test_a_line_that_is_not_simulated_is_no_line() -> None:
    with pytest.raises(KeyError):
        operator_line("1.5.1")


@pytest.mark.parametrize(
    ("version", "has_definitions", "nats"),
    [("1.2.1", True, True), ("1.4.2", False, False), ("1.6.2", False, False)],
)
def test_the_chart_of_a_line_brings_what_the_real_one_does(
    tmp_path: Path, version: str, has_definitions: bool, nats: bool
) -> None:
    package_charts(tmp_path)
    entries = json.loads((tmp_path / INDEX_FILE).read_text(encoding="utf-8"))
    [entry] = [each for each in entries if (each["name"], each["version"]) == ("dynamo-platform", version)]
    folder = tmp_path / entry["path"]
    card = yaml.safe_load((folder / "Chart.yaml").read_text(encoding="utf-8"))
    assert (card["version"], card["appVersion"]) == (version, version)
    values = yaml.safe_load((folder / "values.yaml").read_text(encoding="utf-8"))
    assert values["global"]["nats"]["install"] is nats
    assert (folder / "crds").is_dir() is has_definitions


def test_a_graph_that_the_webhook_sees_as_v1beta1_gets_its_replicas_there() -> None:
    components = [{"name": "Frontend", "replicas": 2}, {"name": "agg"}]
    graph = {"apiVersion": "nvidia.com/v1beta1", "metadata": {}, "spec": {"components": components}}
    paths = {step["path"]: step["value"] for step in default_patch(graph, "1.6.2")}
    assert paths["/spec/components/1/replicas"] == 1
    assert "/spec/components/0/replicas" not in paths
    assert paths["/metadata/annotations/nvidia.com~1dynamo-operator-origin-version"] == "1.6.2"
