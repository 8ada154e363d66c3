"""Programs that the kubelet installs when the first pod needs them, as a kubelet pulls an image.

`python -m lab.toolchain.pulled NAME` installs one: a process of its own, which sees this machine's package
index as the sealed kubelet must not.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.toolchain.build import cache_directory
from lab.toolchain.load_generator import LOAD_GENERATOR
from lab.toolchain.runtime import LATER_RUNTIMES

if TYPE_CHECKING:
    from collections.abc import Mapping

PULLED = {"aiperf": LOAD_GENERATOR, **{f"runtime-{line}": each for line, each in LATER_RUNTIMES.items()}}
"""Name -> what is installed under it."""

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
    """Return the environment that a sealed process gives `python -m lab.toolchain.pulled`."""
    return json.loads(os.environ.get(_OUTSIDE, "{}")) | {"LAB_TOOLS_CACHE": str(cache_directory())}


def main() -> int:
    """Install it where it is missing; the output is its Python, the error stream what happens."""
    [name] = sys.argv[1:]
    try:
        python = PULLED[name].install_missing(cache_directory(), _say)
    except LabError as error:
        _say(str(error))
        return 1
    print(python)
    return 0


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
