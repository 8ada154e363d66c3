"""No lab command ever talks to a cluster that is not on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from lab import control_plane
from lab.directory import LabDirectory
from lab.errors import LabError
from lab.kubeconfig import is_loopback, refuse_foreign_endpoint

if TYPE_CHECKING:
    from pathlib import Path


def _write(file: Path, server: str, context: str = "dynamo-lab") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    file.write_text(yaml.safe_dump(content))
    return file


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1:6443", "https://localhost:1", "https://[::1]:6443", "https://127.99.0.1"]
)
def test_this_machines_own_addresses_are_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1:6443",
        "https://203.0.113.7",
        "https://localhost.evil.example",
        "https://127.0.0.1.example",
        "",
        "x",
    ],
)
def test_any_other_address_is_not_loopback(url: str) -> None:
    assert not is_loopback(url)


def test_a_context_that_leads_elsewhere_is_refused_by_name(tmp_path: Path) -> None:
    file = _write(tmp_path / "kubeconfig", "https://production.example.com")
    with pytest.raises(LabError, match=r"'dynamo-lab' leads to https://production\.example\.com"):
        refuse_foreign_endpoint(file, "dynamo-lab")


def test_a_missing_context_is_refused_by_name(tmp_path: Path) -> None:
    file = _write(tmp_path / "kubeconfig", "https://127.0.0.1:1", context="production")
    with pytest.raises(LabError, match="has no context 'dynamo-lab'"):
        refuse_foreign_endpoint(file, "dynamo-lab")


def test_starting_the_lab_on_a_foreign_kubeconfig_is_refused_before_any_command_runs(tmp_path: Path) -> None:
    lab = LabDirectory(tmp_path / "lab")
    _write(lab.kubeconfig, "https://production.example.com")
    # There is no bin folder: any attempt to run kubectl would fail with another error.
    with pytest.raises(LabError, match="the lab refuses it"):
        control_plane.start(lab)
