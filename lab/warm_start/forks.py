"""The loop that takes requests from launchers, forks, and tells each launcher how its process ended."""

from __future__ import annotations

import json
import os
import select
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """What a forked process is to run."""

    connection: socket.socket
    descriptors: list[int]
    """Standard input, output and error of the launcher."""
    arguments: list[str]
    folder: str
    environment: dict[str, str]


def next_request(listener: socket.socket, until_end_of: int) -> Request | None:
    """Return once in every forked process with its request, and in this one with None at the end.

    Args:
        listener: where launchers connect.
        until_end_of: descriptor that whoever started this process holds open.

    """
    launchers: dict[int, tuple[int, socket.socket]] = {}
    while True:
        ready, _, _ = select.select([listener, until_end_of, *launchers], [], [])
        if until_end_of in ready and not os.read(until_end_of, 1):
            return None
        for descriptor in launchers.keys() & set(ready):
            process, connection = launchers.pop(descriptor)
            _report(process, connection)
            os.close(descriptor)
        if listener not in ready:
            continue
        request = _received(listener)
        process = os.fork()
        if process == 0:
            for descriptor, (_, connection) in launchers.items():
                os.close(descriptor)
                connection.close()
            return request
        for descriptor in request.descriptors:
            os.close(descriptor)
        with suppress(OSError):
            request.connection.sendall(struct.pack("!i", process))
        launchers[os.pidfd_open(process)] = (process, request.connection)


def _received(listener: socket.socket) -> Request:
    connection, _ = listener.accept()
    header, descriptors, _, _ = socket.recv_fds(connection, 4, 3)
    (length,) = struct.unpack("!I", header)
    content = b""
    while len(content) < length:
        content += connection.recv(length - len(content))
    read = json.loads(content)
    return Request(connection, descriptors, read["arguments"], read["folder"], read["environment"])


def _report(process: int, connection: socket.socket) -> None:
    _, status = os.waitpid(process, 0)
    # A launcher that was killed wants no answer.
    with suppress(OSError):
        connection.sendall(struct.pack("!i", status))
    connection.close()
