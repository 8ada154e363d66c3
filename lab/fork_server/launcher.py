"""`python -I -S launcher.py PYTHON [-P] [-u] -m MODULE [ARGUMENT …]`, or a script's path instead of a module.

Asks the lab's fork server to run the command, and stands for it: signals go on to it, and its end is the end
of this process. Where no fork server can, this process becomes the command. It loads as little as possible.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

SOCKET = "fork-server"
RUNNING = b"1"
STARTED_BY = "LAB_STARTED_BY"
"""Names the process that started the launcher: the fork's own parent is the fork server."""
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)
_OPTIONS = {"-P": "safe_path", "-u": "unbuffered"}


def main() -> None:
    """Runs the command that the arguments are."""
    command = sys.argv[1:]
    # A signal that comes before there is a fork to tell it waits for one: it would end the launcher alone.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    connection = _connected(os.environ.get("LAB_DIR", ""))
    if connection is None or not _accepted(connection, command):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
        os.execv(command[0], command)  # noqa: S606 - what the lab wrote into its own scripts
    for number in _FORWARDED:
        signal.signal(number, lambda number, _: _send(connection, bytes([number])))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
    # A fork server that ends takes its children along.
    status = int(connection.recv(16) or str(signal.SIGKILL))
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def request_of(command: list[str]) -> dict[str, object]:
    """How the fork server is told a command of Python."""
    request: dict[str, object] = {"python": command[0], "module": "", "script": ""}
    words = command[1:]
    while words and words[0] in _OPTIONS:
        request[_OPTIONS[words.pop(0)]] = True
    if words[0] == "-m":
        request["module"] = words[1]
        words = words[1:]
    else:
        request["script"] = words[0]
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long to load as the rest
    variables = dict(os.environ) | {STARTED_BY: str(os.getppid())}
    return request | {"arguments": words[1:], "folder": folder, "variables": variables}


def _connected(lab: str) -> socket.socket | None:
    try:
        # The socket's own path may be longer than an address can be.
        folder = os.open(os.path.join(lab, "processes"), os.O_PATH)  # noqa: PTH118 - as above
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(f"/proc/self/fd/{folder}/{SOCKET}")
        os.close(folder)
    except OSError:
        return None
    return connection


def _accepted(connection: socket.socket, command: list[str]) -> bool:
    told = json.dumps(request_of(command)).encode()
    try:
        socket.send_fds(connection, [len(told).to_bytes(4, "big")], [0, 1, 2])
        connection.sendall(told)
        return connection.recv(1) == RUNNING
    except OSError:
        return False


def _send(connection: socket.socket, told: bytes) -> None:
    try:
        connection.send(told)
    except OSError:
        # The fork has ended, and its end is on its way.
        return


if __name__ == "__main__":
    main()
