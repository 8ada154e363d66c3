"""The engine that runs this program: who it is, and what it was asked to do.

The engine tells a program whether it previews, and not whether it updates or destroys
(pulumi/pulumi sdk/proto/pulumi/language.proto, RunRequest). Its own command line does.
"""

import os
import subprocess
from functools import cache
from pathlib import Path

_ENGINE = "pulumi"
_PS_SECONDS = 5
# Commands that run a program, with their other names (pulumi/pulumi pkg/cmd/pulumi/operations), by whether
# they make and change what the program registers.
_COMMANDS = {
    **dict.fromkeys(("up", "update", "watch", "preview", "pre"), True),
    **dict.fromkeys(("destroy", "down", "dn", "refresh"), False),
}


@cache
def engine_pid() -> int | None:
    """Return the engine's process id; None where it is not among this process's ancestors."""
    pid = os.getppid()
    while pid > 1:
        # Some systems give the program's path.
        if Path(_ps("comm", pid)).name == _ENGINE:
            return pid
        pid = int(_ps("ppid", pid) or 0)
    return None


@cache
def makes_resources() -> bool:
    """Whether this run makes what the program registers: no `destroy --run-program` does."""
    pid = engine_pid()
    words = _ps("args", pid).split() if pid else []
    return next((_COMMANDS[word] for word in words if word in _COMMANDS), True)


def _ps(column: str, pid: int) -> str:
    """Return a column of `ps`; nothing where ps does not say."""
    # Without -ww it ends where the terminal does.
    command = ["ps", "-ww", "-o", f"{column}=", "-p", str(pid)]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_PS_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()
