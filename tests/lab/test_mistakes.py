"""What `python -m lab` says to a mistake of the person who typed it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from lab import cluster
from lab.commands import main

if TYPE_CHECKING:
    from pathlib import Path


def test_a_command_that_does_not_exist_is_named_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["lab", "nope"])
    assert main() == 2
    assert "No such command 'nope'" in capsys.readouterr().out


@pytest.mark.parametrize("running", [False, True])
def test_a_shell_without_a_cluster_says_what_to_type(
    running: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setenv("LAB_DIR", str(tmp_path))
    monkeypatch.setattr(cluster, "prepare", lambda *_: None)
    monkeypatch.setattr(cluster, "is_running", lambda _: running)
    monkeypatch.setattr("os.execve", lambda program, *_: opened.append(program))
    monkeypatch.setattr(sys, "argv", ["lab", "shell"])
    main()
    assert opened
    assert ("type `make lab-up`" in capsys.readouterr().out) is not running


def test_a_folder_that_cannot_be_made_is_named_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    # As in a folder that cannot be written, which the tests' user may be allowed to write nevertheless.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("LAB_TOOLS_CACHE", raising=False)
    monkeypatch.setattr(sys, "argv", ["lab", "tools"])
    assert main() == 1
    assert f"{tmp_path / 'file'}" in capsys.readouterr().out.replace("\n", "")
