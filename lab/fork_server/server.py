"""Forks for each launcher that connects, and passes signals in and the end out."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.controller.process import die_with
from lab.fork_server.launcher import RUNNING, SOCKET
from lab.supervisor.server import socket_path

_STANDARD_STREAMS = 3
_LAUNCHER_SECONDS = 5.0


@dataclass(frozen=True)
class Request:
    """A command of Python, as the launcher was given it."""

    python: str
    module: str
    """"" where `script` is given."""
    script: str
    arguments: list[str]
    folder: str
    variables: dict[str, str]
    safe_path: bool = False
    unbuffered: bool = False


class ForkServer:
    """One thread: a fork takes no other along, and what that one had locked would stay locked."""

    def __init__(self, processes: Path) -> None:
        (processes / SOCKET).unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        folder = os.open(processes, os.O_PATH)
        self._listener.bind(socket_path(folder, SOCKET))
        os.close(folder)
        self._listener.listen(64)
        self._waiting = selectors.DefaultSelector()
        self._waiting.register(self._listener, selectors.EVENT_READ)
        self._launchers: dict[int, socket.socket] = {}
        """By process."""

    def serve(self, parent: int) -> Request | None:
        """What a child has to run, or None where the open file `parent` has ended and the server with it."""
        self._waiting.register(parent, selectors.EVENT_READ)
        while True:
            for key, _ in self._waiting.select():
                if key.fileobj is self._listener:
                    request = self._fork()
                    if request is not None:
                        return request
                elif key.fileobj == parent:
                    if not os.read(parent, 1024):
                        # The socket's file stays: it may be that of the next fork server by now.
                        return None
                elif self._waiting.get_map().get(key.fd) == key:
                    # A process and its launcher may end in one round: carrying the first lets the other go.
                    self._carry(key.data, key.fd)

    def _fork(self) -> Request | None:
        """The request in the child, None in the server."""
        launcher, _ = self._listener.accept()
        launcher.settimeout(_LAUNCHER_SECONDS)
        streams: list[int] = []
        try:
            head, streams, _, _ = socket.recv_fds(launcher, 4, _STANDARD_STREAMS)
            request = _received(launcher, int.from_bytes(head, "big"))
        except (OSError, ValueError):
            # It ended while it asked.
            request = None
        if request is not None and _can_run(request):
            server = os.getpid()
            process = os.fork()
            if process == 0:
                self._forget()
                launcher.close()
                _become(request, streams, server)
                return request
            ended = os.pidfd_open(process)
            self._waiting.register(ended, selectors.EVENT_READ, process)
            self._waiting.register(launcher, selectors.EVENT_READ, process)
            self._launchers[process] = launcher
            with suppress(OSError):
                launcher.sendall(RUNNING)
        else:
            launcher.close()
        for each in streams:
            os.close(each)
        return None

    def _carry(self, process: int, ready: int) -> None:
        """Carries a signal to the process, or its end to the launcher."""
        launcher = self._launchers.get(process)
        if launcher is not None and ready == launcher.fileno():
            try:
                signals = launcher.recv(64)
            except OSError:
                signals = b""
            for number in signals or [signal.SIGKILL]:
                with suppress(ProcessLookupError):
                    os.kill(process, number)
            if not signals:
                self._let_go(process)
            return
        _, status = os.waitpid(process, 0)
        self._waiting.unregister(ready)
        os.close(ready)
        if launcher is not None:
            with suppress(OSError):
                launcher.sendall(str(status).encode())
            self._let_go(process)

    def _let_go(self, process: int) -> None:
        launcher = self._launchers.pop(process)
        self._waiting.unregister(launcher)
        launcher.close()

    def _forget(self) -> None:
        for key in list(self._waiting.get_map().values()):
            # The parent's end is standard input, which the request's takes the place of.
            if key.fd >= _STANDARD_STREAMS and not isinstance(key.fileobj, socket.socket):
                os.close(key.fd)
        for each in (*self._launchers.values(), self._listener):
            each.close()
        self._waiting.close()


def _received(launcher: socket.socket, length: int) -> Request:
    with launcher.makefile("rb") as stream:
        said: dict[str, Any] = json.loads(stream.read(length))
    return Request(**said)


def _can_run(request: Request) -> bool:
    """Whether nothing that was loaded here would be another in a process of its own.

    The Kubernetes client reads KUBECONFIG when it is loaded.
    """
    same_cluster = request.variables.get("KUBECONFIG") == os.environ.get("KUBECONFIG")
    # The executable is a link to the machine's own: the folder says which packages there are.
    environment = Path(request.python).parent
    return same_cluster and environment.resolve() == Path(sys.executable).parent.resolve()


def _become(request: Request, streams: list[int], server: int) -> None:
    """Makes this process one that the launcher's command line would have started."""
    die_with(server)
    # Signals of a terminal go to the launcher, which forwards them: twice would be a second Ctrl-C.
    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.variables)
