"""Building the tools: what is rebuilt when, and what an interruption leaves."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from lab.toolchain import build
from lab.toolchain.build import ToolBuildError, build_missing, executables, missing_modules, tool_directory
from lab.toolchain.tools import TOOL_MODULES, ToolModule

if TYPE_CHECKING:
    from pathlib import Path


def _module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str = "package main\nfunc main() {}\n"
) -> ToolModule:
    folder = tmp_path / "modules" / "tiny"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module tiny\n\ngo 1.26\n")
    (folder / "go.sum").write_text("")
    (folder / "main.go").write_text(source)
    monkeypatch.setattr("lab.toolchain.tools.MODULES_DIRECTORY", tmp_path / "modules")
    module = ToolModule("tiny", (".",), ("tiny",), usual_seconds=1)
    monkeypatch.setattr(build, "TOOL_MODULES", (module,))
    return module


def test_a_built_tool_is_executable_and_not_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _module(tmp_path, monkeypatch)
    said: list[str] = []
    build_missing(tmp_path / "cache", said.append)
    built = executables(tmp_path / "cache")["tiny"]
    assert built.stat().st_mode & stat.S_IXUSR
    assert any("usually 1 s" in line for line in said)
    said.clear()
    build_missing(tmp_path / "cache", said.append)
    assert said == []
    assert tool_directory(module, tmp_path / "cache") == built.parent


def test_a_half_built_tool_is_not_taken_for_a_built_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _module(tmp_path, monkeypatch)
    partial = tool_directory(module, tmp_path / "cache").with_suffix(".partial")
    partial.mkdir(parents=True)
    (partial / "tiny").write_text("half a program")
    assert missing_modules(tmp_path / "cache") == (module,)
    build_missing(tmp_path / "cache", lambda _: None)
    assert not partial.exists()
    assert executables(tmp_path / "cache")["tiny"].read_bytes()[:4] == b"\x7fELF"


def test_a_change_of_one_modules_pins_rebuilds_that_module_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _module(tmp_path, monkeypatch)
    before = module.fingerprint()
    (module.directory / "go.sum").write_text("example.com/x v1.0.0 h1:changed\n")
    assert module.fingerprint() != before


def test_a_build_that_fails_says_which_tool_and_what_go_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _module(tmp_path, monkeypatch, source="package main\nfunc main() { undefinedName() }\n")
    with pytest.raises(
        ToolBuildError, match=r"building tiny failed; running the command again resumes\.(?s:.)*undefinedName"
    ):
        build_missing(tmp_path / "cache", lambda _: None)
    assert missing_modules(tmp_path / "cache")


def test_every_tool_module_is_pinned_with_checksums() -> None:
    for module in TOOL_MODULES:
        assert (module.directory / "go.mod").read_text().count("\ntool ") + (
            (module.directory / "go.mod").read_text().count("\ntool (")
        ), module.name
        assert (module.directory / "go.sum").stat().st_size > 0, module.name
