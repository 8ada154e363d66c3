"""The list of files that `render --to` writes for kustomize, and what kustomize makes of the folder."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cli.render import MARK, RenderedDocument
from lab.toolchain.build import cache_directory, executables

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command


def kustomization(folder: Path) -> dict[str, Any]:
    text = (folder / "kustomization.yaml").read_text()
    assert text.startswith(f"{MARK}\n")
    return yaml.safe_load(text)


def objects(text: str) -> list[Any]:
    return [each for each in yaml.safe_load_all(text) if each is not None]


def identity(item: dict[str, Any]) -> tuple[str, str | None, str]:
    metadata = item["metadata"]
    return item["kind"], metadata.get("namespace"), metadata["name"]


def test_every_object_is_listed_in_the_order_in_which_it_is_applied(command: Command, tmp_path: Path) -> None:
    command("render", "dev", "--helm", "flux", "--to", tmp_path)
    listed = kustomization(tmp_path)
    numbered = [file.name for file in sorted(tmp_path.glob("[0-9]*.yaml"))]
    assert listed["resources"] == numbered
    assert listed["sortOptions"] == {"order": "fifo"}


def test_what_is_a_comment_is_not_listed_and_named_in_one(command: Command, tmp_path: Path) -> None:
    command("render", "dev", "--to", tmp_path)
    release = "02-helm-release-dynamo-platform.yaml"
    assert release not in kustomization(tmp_path)["resources"]
    assert f"# Not listed, as each is a comment: {release}\n" in (tmp_path / "kustomization.yaml").read_text()


def test_a_list_of_somebody_else_is_never_overwritten(command: Command, tmp_path: Path) -> None:
    mine = tmp_path / "kustomization.yaml"
    mine.write_text("resources: [mine.yaml]\n")
    answer = command("render", "dev", "--to", tmp_path)
    assert answer.code == 2
    assert f"{mine}\n  is not what `dynamo-stack render` wrote, so nothing was written" in answer.err
    assert [file.read_text() for file in tmp_path.iterdir()] == ["resources: [mine.yaml]\n"]


def test_the_folder_is_checked_as_before(command: Command, tmp_path: Path) -> None:
    command("render", "dev", "--to", tmp_path)
    answer = command("check", "--file", *sorted(tmp_path.iterdir()), "--pool", "p6-b200.48xlarge=1")
    assert answer.code == 0
    assert "Kustomization" not in answer.out


def test_an_object_below_a_comment_is_an_object() -> None:
    assert RenderedDocument("a", "# left out: x\nkind: A\n").is_comment is False
    assert RenderedDocument("a", "# kind: A\n").is_comment is True


@pytest.mark.engine
@pytest.mark.parametrize("stack", ["dev", "disagg-b200-8gpu"])
def test_kustomize_builds_the_same_objects_in_the_same_order(
    command: Command, tmp_path: Path, stack: str
) -> None:
    command("render", stack, "--helm", "flux", "--to", tmp_path)
    kubectl = executables(cache_directory())["kubectl"]
    built = subprocess.run(
        [str(kubectl), "kustomize", str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    written = [each for file in sorted(tmp_path.glob("[0-9]*.yaml")) for each in objects(file.read_text())]
    found = objects(built.stdout)
    assert [identity(each) for each in found] == [identity(each) for each in written]
    assert found == written
