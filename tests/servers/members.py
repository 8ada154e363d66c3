"""Servers as real processes on loopback addresses of their own, with the command lines of their pods."""

import json
import random
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import waiting

ANYWHERE = "0.0.0.0"  # noqa: S104 - what pods bind to, and what a test replaces
_STOP_SECONDS = 10.0
# A write during an election is answered after it, which etcd gives up on after 7 s.
_ANSWER_SECONDS = 10.0


@dataclass
class Member:
    """One member: its name, its address, its disk, and the process while it runs."""

    name: str
    address: str
    disk: Path
    command: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Starts the process; whether it gets ready is another matter."""
        self.disk.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={"PATH": "/nonexistent"}
            )

    def kill(self) -> None:
        """Ends it as a lost node does: nothing is handed over, nothing written."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends it as the kubelet does."""
        self._end(signal.SIGTERM)

    def ended(self) -> bool:
        """Whether the process ended by itself."""
        return self.process is not None and self.process.poll() is not None

    def _end(self, number: signal.Signals) -> None:
        if self.process is None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=_STOP_SECONDS)
        self.process = None


def free_addresses(count: int) -> list[str]:
    """Loopback addresses that nobody uses, so that every member keeps the ports that its pod has.

    127.64 and above are the simulated clusters' (docs/adr/0004).
    """
    while True:
        block = f"127.{random.randint(10, 63)}.{random.randint(0, 255)}"  # noqa: S311 - no secret
        addresses = [f"{block}.{host}" for host in range(1, count + 1)]
        if not any(_is_used(address) for address in addresses):
            return addresses


until = partial(waiting.until, seconds=45.0)
"""Waits, and fails the test with what did not happen in time."""


@contextmanager
def running(members: dict[str, Member], is_ready: Callable[[str], bool]) -> Iterator[dict[str, Member]]:
    """All of them, ready; whatever runs at the end is killed."""
    try:
        for member in members.values():
            member.start()
        for name, member in members.items():
            until(partial(is_ready, name), f"{name} ready; see {member.log}")
        yield members
    finally:
        for member in members.values():
            member.kill()


def status(url: str) -> int:
    """The HTTP status of a GET, as the kubelet's probe sees it; 0 where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=_ANSWER_SECONDS) as answer:  # noqa: S310 - on loopback
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except (urllib.error.URLError, OSError):
        return 0


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The JSON answer to a JSON POST; raises urllib.error.URLError or OSError where there is none."""
    request = urllib.request.Request(  # noqa: S310 - on loopback
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:  # noqa: S310 - on loopback
        return json.load(answer)


def _is_used(address: str) -> bool:
    for port in (2379, 2380, 2381, 4222, 6222, 8222):
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
            except OSError:
                return True
    return False
