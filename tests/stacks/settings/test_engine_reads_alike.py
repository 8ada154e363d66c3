"""The file loader against the real engine: what one reads, the other hands to the program."""

import json
from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from stacks.settings.load import read_settings
from tests.stacks.settings.scalar_forms import SCALAR_FORMS
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

_PROGRAM = """
import pathlib
import pulumi

pathlib.Path("seen.json").write_text(pulumi.Config().require("settings"))
"""
_STRUCTURES = """
    base: &base {a: 1, b: off, '12': thirteen, 'true': yes}
    merged: {<<: *base, b: 12}
    folded: >-
      1.30
      x
    literal: |
      2026-12-01
    nested: [[1, [2.50]], {deep: {deeper: [null, ~, ""]}}]
    empty_mapping: {}
    empty_list: []
"""


@pytest.fixture
def project(engine: Sandbox, tmp_path: Path) -> Path:
    """A project whose program writes down what it is given."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: dynamo-stack\nruntime: python\n")
    (folder / "__main__.py").write_text(_PROGRAM)
    engine.pulumi("stack", "init", folder.parent.name, cwd=folder)
    return folder


def _seen_by_the_program(engine: Sandbox, project: Path, settings: str) -> tuple[object, object]:
    """What the engine hands over for these settings, and what the loader reads in the same file."""
    file = project / f"Pulumi.{project.parent.name}.yaml"
    # `stack init` has written the salt that the engine needs; it would also rewrite what is typed below.
    file.write_text(f"{file.read_text()}config:\n  dynamo-stack:settings:\n{settings}")
    engine.pulumi("preview", "--stack", project.parent.name, cwd=project)
    return json.loads((project / "seen.json").read_text()), read_settings(file)


def test_every_form_of_scalar_reaches_the_program_as_the_loader_reads_it(
    engine: Sandbox, project: Path
) -> None:
    listed = "".join(f"    - {written}\n" for written in SCALAR_FORMS)
    seen, read = _seen_by_the_program(engine, project, listed)
    assert seen == list(SCALAR_FORMS.values())
    assert json.dumps(read) == json.dumps(seen)


def test_structures_reach_the_program_as_the_loader_reads_them(engine: Sandbox, project: Path) -> None:
    seen, read = _seen_by_the_program(engine, project, _STRUCTURES)
    assert json.dumps(read, sort_keys=True) == json.dumps(seen, sort_keys=True)


def test_the_committed_stack_file_reads_alike(engine: Sandbox, project: Path) -> None:
    committed = (REPOSITORY / "Pulumi.dev.yaml").read_text()
    settings = committed.partition("dynamo-stack:settings:\n")[2]
    settings = settings.partition("\nencryptionsalt:")[0] + "\n"
    seen, read = _seen_by_the_program(engine, project, settings)
    assert read == seen
    assert read == read_settings(REPOSITORY / "Pulumi.dev.yaml")
