"""`python -I -S launcher.py SOCKET ARGUMENTS…`: does what `python ARGUMENTS…` does, in a forked process.

Passes SIGINT, SIGTERM and SIGHUP on, tells the forked process when the process that started this one is gone,
and ends with its exit code or signal. A forked process ends when its launcher was killed.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path

PARENT_IS_GONE = b"g"
_POLL_SECONDS = 0.5
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    """Ask `lab.warm_start` for the process and stand for it until it ends."""
    parent = os.getppid()
    address, *arguments = sys.argv[1:]
    early: list[int] = []
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: early.append(number))
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    request = json.dumps({"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)})
    content = request.encode()
    socket.send_fds(connection, [struct.pack("!I", len(content))], [0, 1, 2])
    connection.sendall(content)
    (process,) = struct.unpack("!i", _exactly(connection, 4))

    def pass_on(number: int, _: object = None) -> None:
        with suppress(ProcessLookupError):
            os.kill(process, number)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    for number in early:
        pass_on(number)
    _end_as(_status(connection, parent))


def _status(connection: socket.socket, parent: int) -> int:
    while not select.select([connection], [], [], _POLL_SECONDS)[0]:
        if os.getppid() != parent:
            connection.sendall(PARENT_IS_GONE)
            break
    return struct.unpack("!i", _exactly(connection, 4))[0]


def _exactly(connection: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        part = connection.recv(length - len(content))
        if not part:
            sys.exit("lab.warm_start ended")
        content += part
    return content


def _end_as(status: int) -> None:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        os._exit(code)
    if code != -signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)


if __name__ == "__main__":
    main()
