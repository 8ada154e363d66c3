"""`diff --format sarif` of two sides that no program made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cli import diff
from tests.cli.sarif.logs import runs_of

if TYPE_CHECKING:
    from pathlib import Path

    from comparison.recording import Side
    from tests.cli.command import Command
    from tests.cli.sarif.compared import Compared


@pytest.fixture
def compared(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Compared:
    """The runs of what the command writes for two sides, or for what lies between them."""
    (tmp_path / "Pulumi.dev.yaml").touch()

    def compare(base: Side, head: Side, *, folder: Path = tmp_path) -> list[dict[str, Any]]:
        monkeypatch.setattr(diff, "recorded_sides", lambda *_: (base, head))
        monkeypatch.setattr(diff, "changed_code", lambda *_: ())
        return runs_of(command("diff", "main..topic", "--format", "sarif", folder=folder).out)

    return compare
