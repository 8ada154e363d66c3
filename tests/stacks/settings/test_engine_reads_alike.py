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


_SCALARS = "".join(f"    - {written}\n" for written in SCALAR_FORMS)
_COMMITTED = (REPOSITORY / "Pulumi.dev.yaml").read_text(encoding="utf-8")
_SETTINGS = _COMMITTED.partition("dynamo-stack:settings:\n")[2].partition("\nencryptionsalt:")[0] + "\n"


@pytest.mark.parametrize(
    "settings", [_SCALARS, _STRUCTURES, _SETTINGS], ids=["every scalar", "structures", "the committed file"]
)
def test_settings_reach_the_program_as_the_loader_reads_them(
    engine: Sandbox, tmp_path: Path, settings: str
) -> None:
    name = tmp_path.name
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: dynamo-stack\nruntime: python\n")
    (folder / "__main__.py").write_text(_PROGRAM)
    engine.pulumi("stack", "init", name, cwd=folder)
    file = folder / f"Pulumi.{name}.yaml"
    # `stack init` has written the salt that the engine needs; it would also rewrite what is typed below.
    file.write_text(f"{file.read_text()}config:\n  dynamo-stack:settings:\n{settings}")
    engine.pulumi("preview", "--stack", name, cwd=folder)
    seen = json.loads((folder / "seen.json").read_text())
    assert json.dumps(read_settings(file), sort_keys=True) == json.dumps(seen, sort_keys=True)
