"""Processes that a killed run left on this machine, and their end."""

import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from operations.errors import CommandError

# Every plugin is given its engine's address; those of the Go SDK look every five minutes whether the engine
# still answers. When it does not, they take no new call and end when the last one has: an idle plugin of
# pulumi-kubernetes 4.32.0 ended 295 to 299 s after the kill, one that waited was alive after 655 s
# (pulumi/pulumi sdk/go/pulumi/provider/main.go).
_IDLE_SECONDS = 330.0
# A create is tried for 63 s before it waits (pulumi-kubernetes provider/pkg/await/await.go).
_TRIES_SECONDS, _SLACK_SECONDS = 63.0, 30.0
# Requests that the killed run had begun have been sent by then.
_FIRST_LOOK_SECONDS = 5.0
_LOOK_SECONDS = 5.0
_END_SECONDS = 10.0
_PAUSE_SECONDS = 0.5
_CONNECT_SECONDS = 1.0
_ADDRESS = re.compile(r"^127\.0\.0\.1:(\d+)$")
_PROC = Path("/proc")


@dataclass(frozen=True)
class Orphan:
    """A process whose engine is gone, and which may still finish the call that it was in."""

    pid: int
    command: str
    is_dynamic: bool = False
    """Whether it runs Python of this project's own, which only asks the cluster. It never looks whether its
    engine still lives (the SDK's pulumi/dynamic/__main__.py)."""

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
            # The process ended meanwhile, or is another user's.
            continue
        ports = [int(match[1]) for argument in arguments if (match := _ADDRESS.match(argument))]
        if ports and not any(_answers(port) for port in ports):
            command = " ".join(arguments)[:60].strip()
            found.append(Orphan(int(folder.name), command, is_dynamic="pulumi.dynamic" in arguments))
    return tuple(found)


def longest_life(waits_seconds: Iterable[float]) -> float:
    """How long an orphan can live whose calls wait at most this long, in seconds."""
    return max(_IDLE_SECONDS, *(_TRIES_SECONDS + each + _SLACK_SECONDS for each in waits_seconds), 0)


def wait_for_orphans(
    project: Path,
    say: Callable[[str], None],
    *,
    longest_seconds: float,
    unfinished: Callable[[], Sequence[str]],
    may_end: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Return when no process of a killed run is left; CommandError where one does not end in time.

    `unfinished` tells which of their calls may still change something. `may_end` is asked once, when there is
    no such call, and ends them if it says so.
    """
    began = clock()
    look_again = began + _FIRST_LOOK_SECONDS
    said = asked = False
    _terminate(orphan for orphan in find_orphans(project) if orphan.is_dynamic)
    while orphans := find_orphans(project):
        if clock() - began > longest_seconds:
            raise _still_running(orphans, longest_seconds)
        if not said:
            say(
                f"waiting for what the killed run left running, at most {longest_seconds / 60:.0f} min: "
                f"{_shown(orphans)}. It may still change the cluster. It ends five minutes after the kill, "
                "or with its last wait."
            )
            said = True
        if not asked and clock() >= look_again:
            look_again = clock() + _LOOK_SECONDS
            asked = not unfinished()
            if asked and may_end():
                _end(project)
                return
        time.sleep(_PAUSE_SECONDS)


def _end(project: Path) -> None:
    """Ends what is an orphan at this very moment: a process id that somebody else has now is none."""
    _terminate(find_orphans(project))
    deadline = time.monotonic() + _END_SECONDS
    while orphans := find_orphans(project):
        if time.monotonic() > deadline:
            raise _still_running(orphans, _END_SECONDS)
        time.sleep(_PAUSE_SECONDS)


def _terminate(orphans: Iterable[Orphan]) -> None:
    for orphan in orphans:
        with suppress(ProcessLookupError):
            os.kill(orphan.pid, signal.SIGTERM)


def _still_running(orphans: Sequence[Orphan], seconds: float) -> CommandError:
    pids = " ".join(str(orphan.pid) for orphan in orphans)
    return CommandError(
        f"left by the killed run, and still running after {seconds:.0f} s: {_shown(orphans)}\n"
        "  it may still change the cluster; nothing was changed from here\n"
        f"  try: `ps -fp {pids.replace(' ', ',')}`; if it is no run of yours, `kill {pids}`, "
        "then run this again"
    )


def _shown(orphans: Sequence[Orphan]) -> str:
    return ", ".join(map(str, orphans))


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_CONNECT_SECONDS):
            return True
    except OSError:
        return False
