"""Puts the tools, the language host and the providers' plugins where the pulumi CLI looks for them."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from lab.fork_server import LAUNCHER
from lab.toolchain.tools import LAB_TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lab.directory import LabDirectory

_COMMAND = """#!/bin/sh
# -P keeps the program's own folder off sys.path: its packages must not shadow the lab's.
exec {launcher} {python} -P -m {module} "$@"
"""

# The program looks among its ancestors for the engine, which the language host is a child of.
_OWN_PROCESS = """#!/bin/sh
exec {python} -P -m {module} "$@"
"""

# As the vendor's script of this name does, for providers that are a program's own Python: they are found in
# the program's folder, which is where the engine starts it.
_DYNAMIC = """#!/bin/sh
exec {launcher} {python} -u -m pulumi.dynamic "$@"
"""

# Provider plugins by name: the module that stands in, and the wheel whose version it must report,
# since the engine looks for exactly the version that the SDK asks for.
_PROVIDERS = {
    "aws": ("lab.aws_provider", "pulumi-aws"),
    "kubernetes": ("lab.kubernetes_provider", "pulumi-kubernetes"),
}


def install(lab: LabDirectory, tools: Mapping[str, Path]) -> None:
    """Fills the lab's bin folder and plugin folder; run again, it brings them up to date."""
    lab.bin.mkdir(parents=True, exist_ok=True)
    for name in LAB_TOOLS & tools.keys():
        _link(tools[name], lab.bin / name)
    # In the same folder as pulumi the host is taken as bundled; on PATH it would draw a warning.
    _write(lab.bin / "pulumi-language-python", _filled(_OWN_PROCESS, module="lab.language_host"))
    _write(lab.bin / "pulumi-resource-pulumi-python", _filled(_DYNAMIC))
    # Named by kubeconfigs of EKS; a real one further along PATH would ask a real account.
    _write_command(lab.bin / "aws", "lab.aws_command")
    for name, (module, wheel) in _PROVIDERS.items():
        # A symlink to a folder is not found by the CLI: it must be a real one.
        folder = lab.pulumi_home / "plugins" / f"resource-{name}-v{version(wheel)}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"pulumi-resource-{name}"
        # A person's own executable in place of the stand-in: docs/lab.md has the vendor's plugin run so.
        if name == "kubernetes" and (executable := os.environ.get("KUBERNETES_PLUGIN")):
            _write(file, f'#!/bin/sh\nexec {shlex.quote(executable)} "$@"\n')
        else:
            _write_command(file, module)


def _link(source: Path, target: Path) -> None:
    if target.exists() and os.path.samestat(source.stat(), target.stat()):
        return
    target.unlink(missing_ok=True)
    try:
        # Not a symlink: pulumi looks for its language hosts beside its own resolved path.
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _write_command(path: Path, module: str) -> None:
    _write(path, _filled(_COMMAND, module=module))


def _filled(script: str, **others: str) -> str:
    launcher = shlex.join(LAUNCHER)
    return script.format(launcher=launcher, python=shlex.quote(sys.executable), **others)


def _write(path: Path, text: str) -> None:
    if path.exists() and path.read_text() == text:
        return
    partial = path.with_suffix(".partial")
    partial.write_text(text)
    partial.chmod(0o755)
    partial.rename(path)
