"""Which Go builds the tools."""

import subprocess
from pathlib import Path

import pytest

from lab.toolchain import go
from lab.toolchain.go import GoNotAvailableError, find_go


def _fake_go(folder: Path, version: str) -> Path:
    folder.mkdir(parents=True)
    file = folder / "go"
    file.write_text(f"#!/bin/sh\necho go version {version} linux/amd64\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(("version", "is_used"), [("go1.26.8", True), ("go1.19.8", False)])
def test_the_machines_own_go_is_used_unless_it_is_too_old_then_the_fetched_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_used: bool
) -> None:
    own = _fake_go(tmp_path / "bin", version)
    fetched = _fake_go(tmp_path / "cache" / "go" / "go" / "bin", "go1.27.3")
    monkeypatch.setenv("PATH", str(own.parent))
    assert find_go(tmp_path / "cache", print) == (own if is_used else fetched)


def test_a_failed_fetch_says_what_is_needed_and_what_the_installer_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    refused = subprocess.CompletedProcess([], 1, "", "ERROR: No matching distribution found")
    monkeypatch.setattr(go.subprocess, "run", lambda *_, **__: refused)
    with pytest.raises(GoNotAvailableError, match=r"needs Go 1\.26 or newer(?s:.)*No matching distribution"):
        find_go(tmp_path / "cache", print)
