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
    entries = [
        {"repository": _REPOSITORY, "name": "toy", "version": each, "path": each}
        for each in ("1.9.0", "1.10.0")
    ]
    (tmp_path / "index.json").write_text(json.dumps(entries))
    monkeypatch.setenv("LAB_CHARTS", str(tmp_path))
    return tmp_path


def test_a_chart_is_found_by_repository_name_and_version(charts: Path) -> None:
    assert locate("toy", f"{_REPOSITORY}/", "1.9.0").path == charts / "1.9.0"
    assert locate("toy", _REPOSITORY, "").version == "1.10.0"


@pytest.mark.parametrize(
    ("name", "repository", "version", "message"),
    [
        ("toy", _REPOSITORY, "2.0.0", 'chart "toy" version "2.0.0" not found'),
        ("other", _REPOSITORY, "", 'chart "other" not found'),
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
    assert helm_inputs.with_defaults({"skipAwait": True}, "n", "s")["timeout"] == 0
    assert helm_inputs.with_defaults({"timeout": 0}, "n", "s")["timeout"] == 0


def test_flags_follow_the_inputs() -> None:
    install = helm_inputs.install_arguments({"atomic": True, "skipCrds": True, "timeout": 9})
    assert install == ["--atomic", "--skip-crds", "--timeout", "9s", "--wait"]
    upgrade = helm_inputs.upgrade_arguments({"skipAwait": True, "skipCrds": True})
    assert upgrade == ["--history-max", "0", "--timeout", "300s"]
    assert helm_inputs.uninstall_arguments({"skipAwait": True}) == []
    assert helm_inputs.uninstall_arguments({"timeout": 9}) == ["--wait", "--timeout", "9s"]
