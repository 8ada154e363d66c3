"""A stack file of one's own, and runs of `dynamo-stack upgrade` on it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import yaml

from tests.cli.command import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Answer, Command

FILE = "Pulumi.mine.yaml"
GUIDE = (ROOT / "docs" / "upgrade.md").read_text(encoding="utf-8")


def own_stack(folder: Path) -> Path:
    """Write a stack file with comments, of 1.2.1."""
    file = folder / FILE
    shutil.copy(ROOT / "Pulumi.dev.yaml", file)
    return file


def version_in(file: Path) -> str:
    """Return the release that a stack's file names."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))["config"]["dynamo-stack:settings"]["platform"][
        "version"
    ]


def run_upgrade(command: Command, file: Path, *arguments: str) -> Answer:
    """Run `dynamo-stack upgrade` in the file's folder."""
    return command("upgrade", file.name.split(".")[1], *arguments, folder=file.parent)


def refused(command: Command, file: Path, *arguments: str) -> str:
    """Run it where it has to refuse and to write nothing; return what it says."""
    before = file.read_bytes()
    answer = run_upgrade(command, file, *arguments, "--yes")
    assert (answer.code, answer.out) == (2, "")
    assert file.read_bytes() == before
    return answer.err
