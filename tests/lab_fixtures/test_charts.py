"""Packaging: the index, the CRD, and a second run that changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml

from lab.charts import INDEX_FILE, package_charts

if TYPE_CHECKING:
    from pathlib import Path


def test_packaging_twice_changes_nothing(tmp_path: Path) -> None:
    package_charts(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    package_charts(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_the_index_leads_from_repository_name_and_version_to_a_chart_with_its_seven_crds(
    tmp_path: Path,
) -> None:
    package_charts(tmp_path)
    (entry,) = json.loads((tmp_path / INDEX_FILE).read_text(encoding="utf-8"))
    assert (entry["repository"], entry["name"], entry["version"]) == (
        "https://helm.ngc.nvidia.com/nvidia/ai-dynamo",
        "dynamo-platform",
        "1.2.1",
    )
    chart = tmp_path / entry["path"]
    assert yaml.safe_load((chart / "Chart.yaml").read_text(encoding="utf-8"))["version"] == "1.2.1"
    assert {path.name for path in (chart / "crds").iterdir()} == {
        f"{plural}.nvidia.com.yaml"
        for plural in (
            "dynamocheckpoints",
            "dynamocomponentdeployments",
            "dynamographdeploymentrequests",
            "dynamographdeployments",
            "dynamographdeploymentscalingadapters",
            "dynamomodels",
            "dynamoworkermetadatas",
        )
    }


def test_an_older_packaging_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "dynamo-platform-1.2.1-00000000").mkdir(parents=True)
    package_charts(tmp_path)
    (entry,) = json.loads((tmp_path / INDEX_FILE).read_text(encoding="utf-8"))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([entry["path"], INDEX_FILE])
