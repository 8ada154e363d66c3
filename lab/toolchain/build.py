"""Builds the lab's tools once per machine, into a cache that all checkouts share.

Layout of the cache: `<cache>/tools/<module>-<fingerprint>/<executable>`. A module is built into a
neighbouring `.partial` folder and renamed when it is whole, so an interrupted build is never taken
for a finished one; what Go had compiled by then is in Go's own cache, so the next run resumes. A tool
that stands on PATH in the pinned version is copied there instead, so that its update changes no lab.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lab.locks import locked
from lab.toolchain.go import find_go
from lab.toolchain.on_path import tools_on_path
from lab.toolchain.progress import regularly
from lab.toolchain.tools import TOOL_MODULES, ToolModule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class ToolBuildError(Exception):
    """A tool could not be built; the text says which one and what Go said."""


def cache_directory() -> Path:
    """Where built tools are kept: the user's cache folder, so that clones share them.

    Inside the seal HOME and XDG_CACHE_HOME are the lab's own; LAB_TOOLS_CACHE then says where it was.
    """
    if sealed := os.environ.get("LAB_TOOLS_CACHE"):
        return Path(sealed)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "dynamo-stack"


def tool_directory(module: ToolModule, cache: Path) -> Path:
    """The folder that holds the executables of `module`, whether built yet or not."""
    return cache / "tools" / f"{module.name}-{module.fingerprint()}"


def missing_modules(cache: Path, *names: str) -> list[ToolModule]:
    """The modules of a lab's tools, or of the named ones, whose executables are not all in the cache."""
    wanted = (
        module
        for module in TOOL_MODULES
        if (any(name in names for name in module.executables) if names else module.for_the_lab)
    )
    return [module for module in wanted if not _is_built(module, cache)]


def executables(cache: Path) -> dict[str, Path]:
    """Every tool's name and path. Call build_missing first."""
    return {
        name: tool_directory(module, cache) / name for module in TOOL_MODULES for name in module.executables
    }


def build_missing(cache: Path, say: Callable[[str], None], *names: str) -> None:
    """Builds what a lab needs and the cache lacks, saying what takes how long; with names, these alone.

    Raises ToolBuildError or GoNotAvailableError. Two callers at once build once: the second waits.
    """
    missing = missing_modules(cache, *names)
    present = {name: path for module in missing for name, path in tools_on_path(module).items()}
    if present:
        say(f"used as they stand on PATH, in the pinned version: {', '.join(map(str, present.values()))}")
    to_build = [module for module in missing if not present.keys() >= set(module.executables)]
    if to_build:
        seconds = sum(module.usual_seconds for module in to_build)
        say(
            f"building {len(to_build)} tool modules from source, once per machine, usually "
            f"{max(1, round(seconds / 60))} min on 2 cores"
        )
    for module in missing:
        with locked(tool_directory(module, cache).with_suffix(".lock")):
            if not _is_built(module, cache):
                _build(module, cache, present, say if module in to_build else lambda _: None)


def _is_built(module: ToolModule, cache: Path) -> bool:
    directory = tool_directory(module, cache)
    return all(os.access(directory / name, os.X_OK) for name in module.executables)


def _build(module: ToolModule, cache: Path, present: Mapping[str, Path], say: Callable[[str], None]) -> None:
    target = tool_directory(module, cache)
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    label = ", ".join(module.executables)
    say(f"{label}: building, usually {module.usual_seconds} s on 2 cores")
    started = time.monotonic()
    with regularly(lambda: say(f"{label}: still building, {time.monotonic() - started:.0f} s")):
        for package, name in zip(module.packages, module.executables, strict=True):
            if name in present:
                shutil.copy2(present[name], partial / name)
            else:
                _go_build(module, find_go(cache, say), package, partial / name)
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
    say(f"{label}: built in {time.monotonic() - started:.0f} s")


def _go_build(module: ToolModule, go: Path, package: str, output: Path) -> None:
    # Debug information costs the compiler a fifth of its time, and the linker strips it.
    command = [str(go), "build", "-gcflags", "all=-dwarf=false", "-ldflags", " ".join(module.linker_flags)]
    command += ["-tags", ",".join(module.tags), "-o", str(output), package]
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        # Otherwise Go would fetch the toolchain named in a dependency's go.mod, which no lock pins.
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -trimpath -buildvcs=false",
        "GOWORK": "off",
    }
    answer = subprocess.run(
        command, cwd=module.directory, env=environment, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise ToolBuildError(
            f"building {output.name} failed; running the command again resumes.\n{answer.stderr.strip()}"
        )
