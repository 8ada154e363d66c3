"""The linters that `make check` runs find what is wrong in a workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab import commands
from tests.workflows.workflow_files import FOLDER

if TYPE_CHECKING:
    from pathlib import Path


def planted(folder: Path, name: str, before: str, after: str) -> Path:
    """A copy of the workflows with a defect in one of them; the path of that one."""
    target = folder / ".github" / "workflows"
    target.mkdir(parents=True)
    for file in FOLDER.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert before in text
    (target / name).write_text(text.replace(before, after))
    return target / name


@pytest.mark.engine
def test_make_check_ends_where_actionlint_finds_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["lab", "lint-workflows"])
    assert commands.main() == 0
    planted(tmp_path, "preview.yml", "timeout-minutes: 20", "timeout-minuts: 20")
    monkeypatch.setattr(commands, "REPOSITORY", tmp_path)
    assert commands.main() == 1
    assert 'unexpected key "timeout-minuts"' in capfd.readouterr().out
