"""Who holds the lock of a stack, and whether that run is alive."""

import os
import re
import socket
import subprocess
from dataclasses import dataclass

from operations.errors import CommandError
from operations.pulumi_command import PulumiCommand

UNKNOWN_HOST = "unknown"
"""Stands for the machine of a lock that does not name it."""
_LOCKED, _EXISTS = "is currently locked by", "already exists"
_PASSPHRASES = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")
# pulumi/pulumi pkg/backend/diy/lock.go, the same text for every backend that keeps its state in files.
_HOLDER = re.compile(r"created by (?P<user>\S*)@(?P<host>\S*) \(pid (?P<pid>\d+)\) at (?P<since>\S+)")
# Go's encoding/json says so of a lock file that holds anything else; the same function reads it.
_NO_LOCK = re.compile(r"(unexpected end of JSON input|invalid character .*|json: cannot unmarshal .*)$")


@dataclass(frozen=True)
class Lock:
    """The lock of a run, as the backend names its holder."""

    user: str
    host: str
    pid: int
    since: str

    def __str__(self) -> str:
        if self.host == UNKNOWN_HOST:
            return f"since {self.since}"
        return f"pid {self.pid} of {self.user} on {self.host}, since {self.since}"


def read_locks(pulumi: PulumiCommand) -> tuple[Lock, ...]:
    """Every lock on a stack that exists; CommandError where its words cannot be read.

    To make a stack that exists is refused by every backend, but not before it has looked at the lock: no
    other command does that and changes nothing. Pulumi Cloud has no lock to show; there a dead run's lease
    expires.
    """
    answer = pulumi.capture(
        "stack", "init", pulumi.stack, "--no-select", names_stack=False, variables=_passphrase()
    )
    if _EXISTS in answer.err:
        return ()
    if garbage := _NO_LOCK.search(answer.err.strip()):
        return (Lock("", UNKNOWN_HOST, 0, f"an unknown time: its file cannot be read ({garbage[1]})"),)
    if _LOCKED not in answer.err:
        raise CommandError(f"whether the stack is locked cannot be seen:\n{answer.err.strip()}")
    locks = tuple(
        Lock(found["user"], found["host"] or UNKNOWN_HOST, int(found["pid"]), found["since"])
        for found in _HOLDER.finditer(answer.err)
    )
    if not locks:
        raise CommandError(f"the stack is locked, and by whom cannot be read:\n{answer.err.strip()}")
    return locks


def holder_is_alive(lock: Lock) -> bool:
    """Whether the run that took the lock on this machine still runs.

    A process id is given again: one that is now something else than pulumi is no sign of life.
    """
    answer = subprocess.run(
        ["ps", "-o", "stat=,comm=", "-p", str(lock.pid)],  # noqa: S607 - the system's own, like the shell's
        capture_output=True,
        text=True,
        check=False,
    )
    state, _, command = answer.stdout.strip().partition(" ")
    return "pulumi" in command and not state.startswith("Z")


def refuse_live_runs(locks: tuple[Lock, ...], ended: str | None) -> None:
    """Raise CommandError, which says who holds the lock, where a run is alive or may be.

    `ended` is the other machine whose run has ended, as a person has made sure.
    """
    for lock in locks:
        is_here = lock.host == socket.gethostname()
        if is_here and holder_is_alive(lock):
            raise CommandError(
                f"the stack is locked by a run that is alive: {lock}\n"
                "  nothing is interrupted, and nothing was changed\n"
                f"  try: wait for it; or end it in order with `kill -INT {lock.pid}`, and run this again"
            )
        if lock.host == UNKNOWN_HOST != ended:
            raise CommandError(
                f"the stack is locked, and by whom cannot be read: {lock}\n"
                "  a run writes its lock in one piece, so that none that is alive has left this; nothing was "
                "changed\n"
                "  try: once no run of this stack is alive anywhere, run this again with "
                f"`--ended {lock.host}`"
            )
        if not is_here and lock.host != ended:
            raise CommandError(
                f"the stack is locked from another machine: {lock}\n"
                "  whether that run is alive cannot be seen from here; nothing was changed\n"
                f"  try: look there; once it has ended, run this again with `--ended {lock.host}`"
            )


def _passphrase() -> dict[str, str]:
    # A stack whose secrets a key service keeps has none; asked to make the stack, pulumi wants one before it
    # looks at the lock, and encrypts nothing with it.
    if any(name in os.environ for name in _PASSPHRASES):
        return {}
    return {_PASSPHRASES[0]: "unused"}
