"""A frontend of the tests' own on loopback, which answers as it is told."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request

from tests.support.loopback import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        application = Flask("frontend")
        application.before_request(self._answer)
        self._running = ExitStack()
        self.url = self._running.enter_context(served(application))

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def bodies(self, path: str) -> list[Any]:
        return [asked.body for asked in self.asked if asked.path == path]

    def close(self) -> None:
        self.released.set()
        self._running.close()

    def _answer(self) -> Response:
        body = request.get_json(silent=True)
        self.asked.append(Asked(request.path, dict(request.headers), body))
        found = self.replies.get(request.path, Reply("", status=404))
        reply = found if isinstance(found, Reply) else found(body)
        if reply.silent:
            self._be_silent()
        if reply.events is not None:
            content, kind = self._stream(reply.events, reply.silent_after), "text/event-stream"
        else:
            content, kind = self._drip() if reply.drips else reply.text(), "application/json"
        answer = Response(content, reply.status, reply.headers, content_type=kind)
        if reply.announced is not None:
            answer.content_length = reply.announced
        return answer

    def _stream(self, events: tuple[Any, ...], silent_after: int | None) -> Iterator[bytes]:
        for number, event in enumerate(events):
            if number == silent_after:
                self._be_silent()
            data = event if isinstance(event, str) else json.dumps(event)
            yield f"data: {data}\n\n".encode()

    def _drip(self) -> Iterator[bytes]:
        while not self.released.wait(0.02):
            yield b" "

    def _be_silent(self) -> None:
        self.first_silence.set()
        self.released.wait(DEADLINE_SECONDS)
