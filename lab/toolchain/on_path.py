"""Tools that this machine has already: what stands on PATH in the pinned version need not be built."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.toolchain.tools import ToolModule

# These know no --version.
_ASKS_VERSION = {"helm": ("version",), "kubectl": ("version", "--client"), "pulumi": ("version",)}
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_LONGEST_SECONDS = 30


def tools_on_path(module: ToolModule) -> dict[str, Path]:
    """Return the module's executables that are on PATH and say exactly the version that its go.mod pins."""
    version = module.version()
    found = {name: path for name in module.executables if (path := shutil.which(name))} if version else {}
    return {name: Path(path).resolve() for name, path in found.items() if _says(path, name, str(version))}


def _says(path: str, name: str, version: str) -> bool:
    command = [str(Path(path).resolve()), *_ASKS_VERSION.get(name, ("--version",))]
    try:
        # With no other variable, as in the lab: a version manager's shim needs its own, and is no such tool.
        answer = subprocess.run(
            command,
            env={"PATH": _SYSTEM_PATH},
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    # Not 1.36.30, nor a vendor's 1.36.3-eks-4; Helm adds +g and a commit.
    pattern = rf"(?<![\d.]){re.escape(version)}(?![\d.-])"
    return answer.returncode == 0 and re.search(pattern, answer.stdout) is not None
