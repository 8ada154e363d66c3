"""Python processes that start in a tenth of the time: forked from one that has imported their modules.

A `pulumi` command starts up to eight Python processes, and each spends most of its processor time on imports.
Where the variable `LAB_WARM_START` names the socket of a running `lab.warm_start`, the lab's scripts start
`launcher.py`: a small process that the engine sees as its child, passes signals on and ends as the forked
process does. Without the variable every process starts as it does outside the lab.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "LAB_WARM_START"
LAUNCHER = Path(__file__).with_name("launcher.py")


def python_command(python: str, *arguments: str) -> list[str]:
    """Return the command that runs an interpreter with these arguments, warm where that is possible.

    A program of another virtualenv starts cold: the modules that are imported already are not its own.
    """
    socket = os.environ.get(VARIABLE)
    if not socket or Path(python).parent.parent.resolve() != Path(sys.prefix).resolve():
        return [python, *arguments]
    return [sys.executable, "-I", "-S", str(LAUNCHER), socket, *arguments]
