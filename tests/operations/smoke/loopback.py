"""A frontend of the tests' own on loopback, which answers as it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, request

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


@dataclass(frozen=True)
class Asked:
    """One request that came."""

    path: str
    headers: dict[str, str]
    body: Any


class Loopback:
    """Answers of each path: a reply, or what makes one from the request's body."""

    def __init__(self) -> None:
        self.url = ""
        self.replies: dict[str, Reply | Callable[[Any], Reply]] = {}
        self.asked: list[Asked] = []
        self.released = threading.Event()
        """Ends every silence."""
        self.first_silence = threading.Event()
        """Set when a request meets silence."""
        self.drips = 0
        """How many bytes have dripped."""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def reply(self, path: str, body: Any) -> Reply:
        """What a request is answered."""
        found = self.replies.get(path, Reply("", status=404))
        return found if isinstance(found, Reply) else found(body)

    def bodies(self, path: str) -> list[Any]:
        return [asked.body for asked in self.asked if asked.path == path]

    def application(self) -> Flask:
        app = Flask("loopback")

        @app.route("/<path:_>", methods=["GET", "POST"])
        def answer(_: str) -> Response:
            body = request.get_json(silent=True)
            self.asked.append(Asked(request.path, dict(request.headers), body))
            reply = self.reply(request.path, body)
            kind = "application/json" if reply.events is None else "text/event-stream"
            answered = Response(self._parts(reply), reply.status, reply.headers, mimetype=kind)
            if reply.announced:
                answered.content_length = reply.announced
            return answered

        return app

    def _parts(self, reply: Reply) -> Iterator[str]:
        """What is sent, one after the other."""
        if reply.silent:
            self._be_silent()
        for number, event in enumerate(reply.events or ()):
            if number == reply.silent_after:
                self._be_silent()
            yield f"data: {_text(event)}\n\n"
        while reply.drips and not self.released.wait(0.02):
            yield " "
            self.drips += 1
        if reply.events is None:
            yield _text(reply.body)

    def _be_silent(self) -> None:
        self.first_silence.set()
        self.released.wait(DEADLINE_SECONDS)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)
