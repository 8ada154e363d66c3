"""What `python -m lab` says to a mistake of the person who typed it."""

import sys
from pathlib import Path

import pytest

from lab.commands import main
from lab.errors import LabError
from lab.rehearsal import rehearsal


def test_a_command_that_does_not_exist_is_named_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["lab", "nope"])
    assert main() == 2
    assert "No such command 'nope'" in capsys.readouterr().out


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


def test_a_stack_that_has_no_file_is_named_with_those_that_have() -> None:
    with (
        pytest.raises(LabError, match=r"there is no Pulumi\.nobody\.yaml; stacks are .*disagg-b200-tcp"),
        rehearsal("nobody"),
    ):
        pytest.fail("it is rehearsed")
