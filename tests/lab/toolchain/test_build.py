"""Building the tools: what is rebuilt when, and what an interruption leaves."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from lab.directory import LabDirectory
from lab.environment import sealed_environment
from lab.toolchain import build
from lab.toolchain.build import (
    ToolBuildError,
    build_missing,
    cache_directory,
    executables,
    missing_modules,
    tool_directory,
)
from lab.toolchain.tools import ToolModule


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolModule:
    """The only tool there is, not built yet."""
    folder = tmp_path / "modules" / "tiny"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module tiny\n\ngo 1.26\n")
    (folder / "go.sum").write_text("")
    (folder / "main.go").write_text("package main\nfunc main() {}\n")
    monkeypatch.setattr("lab.toolchain.tools.MODULES_DIRECTORY", tmp_path / "modules")
    made = ToolModule("tiny", (".",), ("tiny",), usual_seconds=1)
    monkeypatch.setattr(build, "TOOL_MODULES", (made,))
    return made


def test_a_tool_is_built_once_and_a_half_built_one_is_not_taken_for_it(
    tmp_path: Path, module: ToolModule
) -> None:
    cache = tmp_path / "cache"
    partial = tool_directory(module, cache).with_suffix(".partial")
    partial.mkdir(parents=True)
    (partial / "tiny").write_text("half a program")
    assert missing_modules(cache) == [module]
    said: list[str] = []
    build_missing(cache, said.append)
    built = executables(cache)["tiny"]
    assert built.stat().st_mode & stat.S_IXUSR
    assert built.read_bytes()[:4] == b"\x7fELF"
    assert not partial.exists()
    said.clear()
    build_missing(cache, said.append)
    assert said == []


def test_inside_the_seal_the_tools_are_those_of_the_person_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LAB_TOOLS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    sealed = sealed_environment(LabDirectory(tmp_path / "lab"))
    for name, value in sealed.items():
        monkeypatch.setenv(name, value)
    assert cache_directory() == tmp_path / "mine" / "dynamo-stack"
    assert sealed_environment(LabDirectory(tmp_path / "lab"))["LAB_TOOLS_CACHE"] == sealed["LAB_TOOLS_CACHE"]


@pytest.mark.parametrize(
    ("says", "is_taken"),
    [
        ('version.BuildInfo{Version:"v3.19.0", GoVersion:"go1.24.7"}', True),
        ("Client Version: v3.19.0+g3d8990f", True),
        ("v3.19.0-eks-4", False),
        ("v13.19.0", False),
    ],
)
def test_a_tool_on_path_in_exactly_the_pinned_version_is_taken_and_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ToolModule, says: str, is_taken: bool
) -> None:
    # Not a program of this package: a build would fail.
    module = replace(module, packages=("example.com/tiny/cmd/tiny",))
    monkeypatch.setattr(build, "TOOL_MODULES", (module,))
    (module.directory / "go.mod").write_text("module lab\n\nrequire example.com/tiny v3.19.0 // indirect\n")
    mine = tmp_path / "bin" / "tiny"
    mine.parent.mkdir()
    mine.write_text(f"#!/bin/sh\necho '{says}'\n")
    mine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{mine.parent}:{os.environ['PATH']}")
    said: list[str] = []
    if not is_taken:
        with pytest.raises(ToolBuildError):
            build_missing(tmp_path / "cache", said.append)
        return
    build_missing(tmp_path / "cache", said.append)
    assert said == [f"used as they stand on PATH, in the pinned version: {mine}"]
    # Whatever becomes of it: a lab that ran goes on as it was.
    mine.unlink()
    assert executables(tmp_path / "cache")["tiny"].read_text().startswith("#!/bin/sh")


def test_a_build_that_fails_says_which_tool_and_what_go_said(tmp_path: Path, module: ToolModule) -> None:
    (module.directory / "main.go").write_text("package main\nfunc main() { undefinedName() }\n")
    with pytest.raises(
        ToolBuildError, match=r"building tiny failed; running the command again resumes\.(?s:.)*undefinedName"
    ):
        build_missing(tmp_path / "cache", lambda _: None)
    assert missing_modules(tmp_path / "cache")
