from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lab.kubernetes_provider import helm_inputs
from lab.kubernetes_provider.helm_charts import ChartError, locate

if TYPE_CHECKING:
    from pathlib import Path

_REPOSITORY = "https://charts.example.com"


@pytest.fixture
def charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    entry = {"repository": _REPOSITORY, "name": "toy", "version": "1.9.0", "path": "1.9.0"}
    (tmp_path / "index.json").write_text(json.dumps([entry]))
    monkeypatch.setenv("LAB_CHARTS", str(tmp_path))
    return tmp_path


def test_a_chart_is_found_by_repository_name_and_version(charts: Path) -> None:
    assert locate("toy", f"{_REPOSITORY}/", "1.9.0") == charts / "1.9.0"


@pytest.mark.parametrize(
    ("name", "repository", "version", "message"),
    [
        ("toy", _REPOSITORY, "2.0.0", 'chart "toy" version "2.0.0" not found'),
        ("toy", _REPOSITORY, "", 'chart "toy" version "" not found'),
        ("toy", "https://other.example.com", "", "is not a valid chart repository or cannot be reached"),
        ("toy", "", "", "non-absolute URLs should be in form of repo_name/path_to_chart, got: toy"),
    ],
)
@pytest.mark.usefixtures("charts")
def test_anything_else_fails_as_helm_would(name: str, repository: str, version: str, message: str) -> None:
    with pytest.raises(ChartError, match=message):
        locate(name, repository, version)


def test_a_release_waits_five_minutes_unless_told_otherwise() -> None:
    assert helm_inputs.with_defaults({"chart": "c"}, "n", "s")["timeout"] == 300
    assert helm_inputs.with_defaults({"timeout": 0}, "n", "s")["timeout"] == 0
