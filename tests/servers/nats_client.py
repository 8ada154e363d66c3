"""The part of the NATS protocol that a test needs: connect, subscribe, publish, receive.

https://docs.nats.io/reference/reference-protocols/nats-protocol
"""

import socket
from types import TracebackType
from typing import Self

_SECONDS = 10.0


class NatsClient:
    """One connection; every wait has a limit."""

    def __init__(self, address: str, port: int = 4222) -> None:
        self._socket = socket.create_connection((address, port), timeout=_SECONDS)
        self._stream = self._socket.makefile("rwb")
        self.received: list[bytes] = []
        if not self._line().startswith("INFO "):
            raise OSError("the server did not introduce itself")
        self._send('CONNECT {"verbose":false,"pedantic":false}')
        self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def subscribe(self, subject: str) -> None:
        """Receives what is published on the subject from now on."""
        self._send(f"SUB {subject} 1")
        self.flush()

    def publish(self, subject: str, payload: bytes) -> None:
        """Sends one message, and waits until the server has it."""
        self._stream.write(f"PUB {subject} {len(payload)}\r\n".encode() + payload + b"\r\n")
        self.flush()

    def receive(self) -> bytes:
        """The payload of the next message; OSError if none comes in time."""
        while not self.received:
            self._handle(self._line())
        return self.received.pop(0)

    def flush(self) -> None:
        """Waits until the server has handled everything sent so far; OSError if it refuses any of it."""
        self._send("PING")
        while (line := self._line()) != "PONG":
            self._handle(line)

    def _handle(self, line: str) -> None:
        if line.startswith("-ERR"):
            raise OSError(line)
        if line.startswith("MSG "):
            size = int(line.rsplit(" ", 1)[1])
            self.received.append(self._stream.read(size + 2)[:size])

    def _send(self, line: str) -> None:
        self._stream.write(f"{line}\r\n".encode())
        self._stream.flush()

    def _line(self) -> str:
        raw = self._stream.readline()
        if not raw:
            raise OSError("the server closed the connection")
        line = raw.decode().rstrip("\r\n")
        if line == "PING":
            self._send("PONG")
            return self._line()
        return line
