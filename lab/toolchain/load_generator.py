"""AIPerf for the lab's benchmark Jobs: the real program, in the version that the recipes pin.

The kubelet installs it when the first such Job starts: most labs measure nothing.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING

from lab.directory import REPOSITORY
from lab.errors import LabError
from lab.toolchain.build import cache_directory
from lab.toolchain.packages import PublishedProgram

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOCK = REPOSITORY / "lab" / "benchmark_image" / "requirements.txt"
_LOCKED = re.compile(r"^aiperf=\S+", re.MULTILINE)

LOAD_GENERATOR = PublishedProgram(
    title="AIPerf",
    requirement=_LOCKED.findall(_LOCK.read_text(encoding="utf-8"))[0],
    lock=_LOCK,
    # https://pypi.org/project/aiperf/0.13.0; the image of the Job has 3.12.
    pythons=((3, 12), (3, 11), (3, 13)),
    size="840 MB",
    usual_seconds=40,
    without="the next attempt resumes; everything but benchmark Jobs does without it",
)

_OUTSIDE = "LAB_OUTSIDE"
_NAMES = {"HOME", "PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}
_PREFIX, _END = "UV_", "_PROXY"


def outside_variables(outside: Mapping[str, str]) -> dict[str, str]:
    """Return one variable that tells a sealed process how this machine reaches its package index.

    Not the variables themselves: nothing else in the lab may use a proxy or a home that is not its own.
    """
    kept = {
        name: value
        for name, value in outside.items()
        if name in _NAMES or name.startswith(_PREFIX) or name.upper().endswith(_END)
    }
    return {_OUTSIDE: json.dumps(kept)}


def installer_environment() -> dict[str, str]:
    """Return the environment that a sealed process gives `python -m lab.toolchain.load_generator`."""
    return json.loads(os.environ.get(_OUTSIDE, "{}")) | {"LAB_TOOLS_CACHE": str(cache_directory())}


def main() -> int:
    """Install it where it is missing; the output is its Python, the error stream what happens."""
    try:
        python = LOAD_GENERATOR.install_missing(cache_directory(), _say)
    except LabError as error:
        _say(str(error))
        return 1
    print(python)
    return 0


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
