"""What a killed run left running on this machine."""

import os
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cli.errors import CommandError

# Every plugin and program is given its engine's address; those of the Go SDK ask every five minutes whether
# the engine still answers, and end when it does not (pulumi/pulumi sdk/go/pulumi/provider/main.go).
LONGEST_SECONDS = 330.0
_PAUSE_SECONDS = 0.5
_CONNECT_SECONDS = 1.0
_ADDRESS = re.compile(r"^127\.0\.0\.1:(\d+)$")
_PROC = Path("/proc")


@dataclass(frozen=True)
class Orphan:
    """A process whose engine is gone, and which may still finish the call that it was in."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"pid {self.pid} ({self.command})"


def find_orphans(project: Path) -> tuple[Orphan, ...]:
    """Processes that were started for this project by an engine that no longer answers.

    Found by what the engine gives each of them: the project's folder to work in, and its own address as an
    argument. Where /proc does not exist, or belongs to somebody else, nothing is found.
    """
    found: list[Orphan] = []
    for folder in _PROC.glob("[0-9]*") if _PROC.is_dir() else ():
        try:
            if int(folder.name) == os.getpid() or (folder / "cwd").readlink() != project.resolve():
                continue
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            # It ended while we looked, or is another user's.
            continue
        ports = [int(match[1]) for argument in arguments if (match := _ADDRESS.match(argument))]
        if ports and not any(_answers(port) for port in ports):
            found.append(Orphan(int(folder.name), " ".join(arguments)[:60].strip()))
    return tuple(found)


def wait_for_orphans(
    project: Path, say: Callable[[str], None], *, longest_seconds: float = LONGEST_SECONDS
) -> None:
    """Returns when no process of a killed run is left; none is ever ended from here.

    Raises:
        CommandError: one still runs after `longest_seconds`.

    """
    deadline = time.monotonic() + longest_seconds
    said = False
    while orphans := find_orphans(project):
        shown = ", ".join(map(str, orphans))
        if time.monotonic() > deadline:
            pids = " ".join(str(orphan.pid) for orphan in orphans)
            raise CommandError(
                f"left by the killed run, and still running after {longest_seconds:.0f} s: {shown}\n"
                "  it may still change the cluster; nothing was changed from here\n"
                f"  try: `ps -fp {pids.replace(' ', ',')}`; if it is no run of yours, `kill {pids}`, "
                "then run this again"
            )
        if not said:
            say(
                f"waiting for what the killed run left running, up to {longest_seconds:.0f} s: {shown}. "
                "It may still change the cluster."
            )
            said = True
        time.sleep(_PAUSE_SECONDS)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_CONNECT_SECONDS):
            return True
    except OSError:
        return False
