"""Packaging: the index, the CRD, and a second run that changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from lab.charts import INDEX_FILE, package_charts
from lab.kubernetes_provider.helm_charts import ChartError, locate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package_charts(tmp_path)
    monkeypatch.setenv("LAB_CHARTS", str(tmp_path))


def test_packaging_twice_changes_nothing(tmp_path: Path) -> None:
    package_charts(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    package_charts(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_the_index_leads_from_repository_name_and_version_to_a_chart_with_its_seven_crds(
    tmp_path: Path,
) -> None:
    package_charts(tmp_path)
    entry, *_ = json.loads((tmp_path / INDEX_FILE).read_text(encoding="utf-8"))
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
    paths = [entry["path"] for entry in json.loads((tmp_path / INDEX_FILE).read_text(encoding="utf-8"))]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*paths, INDEX_FILE])


@pytest.mark.parametrize(
    ("name", "repository", "version"),
    [
        ("gpu-operator", "https://helm.ngc.nvidia.com/nvidia", "v26.7.0"),
        ("oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu", "", "0.4.1"),
        ("aws-efa-k8s-device-plugin", "https://aws.github.io/eks-charts", "0.5.30"),
        ("kube-prometheus-stack", "https://prometheus-community.github.io/helm-charts", "88.5.3"),
    ],
)
def test_a_chart_is_found_by_repository_name_and_version_and_by_no_other_version(
    packaged: None, name: str, repository: str, version: str
) -> None:
    chart = yaml.safe_load(
        (locate(name, repository, version).path / "Chart.yaml").read_text(encoding="utf-8")
    )
    assert (chart["name"], chart["version"]) == (name.rpartition("/")[2], version)
    with pytest.raises(ChartError, match=r'version "0\.0\.1" not found'):
        locate(name, repository, "0.0.1")


def test_a_repository_that_is_not_here_cannot_be_reached(packaged: None) -> None:
    with pytest.raises(ChartError, match="is not a valid chart repository or cannot be reached"):
        locate("ingress-nginx", "https://kubernetes.github.io/ingress-nginx", "4.0.0")


def test_both_charts_of_nvidia_bring_the_definitions_of_compute_domains(packaged: None) -> None:
    operator = locate("gpu-operator", "https://helm.ngc.nvidia.com/nvidia", "").path
    driver = locate("oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu", "", "").path
    shared = {path.name for path in (driver / "crds").iterdir()}
    assert shared == {
        "computedomains.resource.nvidia.com.yaml",
        "computedomaincliques.resource.nvidia.com.yaml",
    }
    assert {path.name for path in (operator / "crds").iterdir()} == shared | {
        "clusterpolicies.nvidia.com.yaml"
    }
