"""A frontend of the tests' own on loopback, which answers as it is told."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE_SECONDS = 30


@dataclass(frozen=True)
class Reply:
    """One answer."""

    body: Any = None
    """Sent as JSON; a text as it is."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    events: tuple[Any, ...] | None = None
    """The data of server-sent events instead of a body."""
    silent: bool = False
    """Nothing is sent, and the connection stays."""
    silent_after: int | None = None
    """So many events are sent, then nothing."""
    drips: bool = False
    """A byte now and then, without end."""
    announced: int | None = None
    """Content-Length that is not the body's."""

    def text(self) -> bytes:
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass(frozen=True)
class Asked:
    """One request that came."""

    path: str
    headers: dict[str, str]
    body: Any


class Loopback:
    """Answers of each path: a reply, or what makes one from the request's body."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply | Callable[[Any], Reply]] = {}
        self.asked: list[Asked] = []
        self.released = threading.Event()
        """Ends every silence."""
        self.first_silence = threading.Event()
        """Set when a request meets silence."""
        self.drips = 0
        """How many bytes have dripped."""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.answer(self)

            def do_POST(self) -> None:
                owner.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reply(self, path: str, body: Any) -> Reply:
        """What a request is answered."""
        found = self.replies.get(path, Reply("", status=404))
        return found if isinstance(found, Reply) else found(body)

    def bodies(self, path: str) -> list[Any]:
        return [asked.body for asked in self.asked if asked.path == path]

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(DEADLINE_SECONDS)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        length = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(length)) if length else None
        self.asked.append(Asked(request.path, dict(request.headers), body))
        reply = self.reply(request.path, body)
        if reply.silent:
            self._be_silent(request)
            return
        request.send_response(reply.status)
        for name, value in reply.headers.items():
            request.send_header(name, value)
        if reply.events is not None:
            self._stream(request, reply)
            return
        request.send_header("Content-Type", "application/json")
        if reply.drips:
            self._drip(request)
            return
        request.send_header("Content-Length", str(reply.announced or len(reply.text())))
        request.end_headers()
        request.wfile.write(reply.text())
        request.close_connection = True

    def _stream(self, request: BaseHTTPRequestHandler, reply: Reply) -> None:
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Connection", "close")
        request.end_headers()
        for number, event in enumerate(reply.events or ()):
            if number == reply.silent_after:
                self._be_silent(request)
                return
            data = event if isinstance(event, str) else json.dumps(event)
            request.wfile.write(f"data: {data}\n\n".encode())
            request.wfile.flush()
        request.close_connection = True

    def _drip(self, request: BaseHTTPRequestHandler) -> None:
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True
        try:
            while not self.released.wait(0.02):
                request.wfile.write(b" ")
                self.drips += 1
        except OSError:
            # The client has had enough.
            return

    def _be_silent(self, request: BaseHTTPRequestHandler) -> None:
        self.first_silence.set()
        self.released.wait(DEADLINE_SECONDS)
        request.close_connection = True
