"""The list of files that `render --to` writes for kustomize, and what kustomize makes of the folder."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cli.render import MARK
from lab.toolchain.build import cache_directory, executables

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command


def objects(text: str) -> list[Any]:
    return [each for each in yaml.safe_load_all(text) if each is not None]


@pytest.mark.parametrize(
    ("helm", "comments"), [("flux", []), ("comment", ["02-helm-release-dynamo-platform.yaml"])]
)
def test_objects_are_listed_in_the_order_in_which_they_are_applied_and_comments_in_one(
    command: Command, tmp_path: Path, helm: str, comments: list[str]
) -> None:
    command("render", "dev", "--helm", helm, "--to", tmp_path)
    text = (tmp_path / "kustomization.yaml").read_text()
    numbered = [file.name for file in sorted(tmp_path.glob("[0-9]*.yaml"))]
    assert yaml.safe_load(text)["resources"] == [name for name in numbered if name not in comments]
    assert yaml.safe_load(text)["sortOptions"] == {"order": "fifo"}
    assert text.startswith(f"{MARK}\n")
    assert (f"# Not listed, as each is a comment: {', '.join(comments)}\n" in text) == bool(comments)


def test_the_folder_is_checked_as_before(command: Command, tmp_path: Path) -> None:
    command("render", "dev", "--to", tmp_path)
    answer = command("check", "--file", *sorted(tmp_path.iterdir()), "--pool", "p6-b200.48xlarge=1")
    assert answer.code == 0
    assert "Kustomization" not in answer.out


@pytest.mark.engine
def test_kustomize_builds_the_same_objects_in_the_same_order(command: Command, tmp_path: Path) -> None:
    command("render", "disagg-b200-8gpu", "--helm", "flux", "--to", tmp_path)
    kubectl = executables(cache_directory())["kubectl"]
    built = subprocess.run(
        [str(kubectl), "kustomize", str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    written = [each for file in sorted(tmp_path.glob("[0-9]*.yaml")) for each in objects(file.read_text())]
    assert objects(built.stdout) == written
