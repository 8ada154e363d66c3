"""The engine that runs this program: who it is, and what it was asked to do.

The engine tells a program whether it previews, and not whether it updates or destroys
(pulumi/pulumi sdk/proto/pulumi/language.proto, RunRequest). Its own command line does.
"""

import os
import subprocess
from pathlib import Path

_ENGINE = "pulumi"
_PS_SECONDS = 5
# Commands that run a program, with their other names (pulumi/pulumi pkg/cmd/pulumi/operations), by whether
# they make and change what the program registers.
_COMMANDS = {
    **dict.fromkeys(("up", "update", "watch", "preview", "pre"), True),
    **dict.fromkeys(("destroy", "down", "dn", "refresh"), False),
}


def engine_pid() -> int | None:
    """Return the engine's process id; None where it is not among this process's ancestors."""
    pid = os.getpid()
    while pid > 1:
        pid, name = _parent(pid)
        if name == _ENGINE:
            return pid
    return None


def makes_resources() -> bool:
    """Whether this run makes what the program registers: no `destroy --run-program` does."""
    pid = engine_pid()
    if pid is None:
        return True
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except (OSError, ValueError):
        words = _ps("args", pid).split()
    return next((_COMMANDS[word] for word in words if word in _COMMANDS), True)


def _parent(pid: int) -> tuple[int, str]:
    """The process id and the name of a process's parent; 0 where there is none, or nobody says."""
    try:
        # proc_pid_stat(5): the name, which may hold anything, is in brackets; then state and parent.
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return parent, Path(f"/proc/{parent}/comm").read_text().strip()
    except (OSError, ValueError, IndexError):
        parent = int(_ps("ppid", pid) or 0)
        return parent, Path(_ps("comm", parent)).name


def _ps(column: str, pid: int) -> str:
    """Return a column of `ps`, for systems without /proc; nothing where ps does not say."""
    # Without -ww it ends where the terminal does.
    command = ["ps", "-ww", "-o", f"{column}=", "-p", str(pid)]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_PS_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()
