"""`python3 -m pip install --target DIR NAME==VERSION` in a container of the lab, for what is on this machine.

The packages are importable already, in the versions of the lab's own lock; only the program has to be put
where the script looks for it. Anything else is refused, as pip refuses what no index has.
"""

from __future__ import annotations

import argparse
import sys
from importlib import metadata
from pathlib import Path

_HELD = "aiperf"
_LAUNCHER = '#!/bin/sh\nexec python3 -m sized_aiperf "$@"\n'


def main(words: list[str]) -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser("pip", description="the lab's own: it knows this one command")
    parser.add_argument("command", choices=["install"])
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("requirements", nargs="+")
    arguments = parser.parse_args(words)
    held = f"{_HELD}=={metadata.version(_HELD)}"
    for requirement in arguments.requirements:
        if requirement != held:
            error = f"ERROR: No matching distribution found for {requirement} (the lab has {held})"
            print(error, file=sys.stderr)
            return 1
    program = arguments.target / "bin" / _HELD
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(_LAUNCHER, encoding="utf-8")
    program.chmod(0o755)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
