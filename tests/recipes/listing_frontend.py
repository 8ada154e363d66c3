"""A frontend that lists models, as far as a wait for one asks it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

MODEL = "openai/gpt-oss-120b"
LISTED = json.dumps({"object": "list", "data": [{"id": MODEL}]}).encode()
EMPTY = json.dumps({"object": "list", "data": []}).encode()


class _Frontend(BaseHTTPRequestHandler):
    answers: ClassVar[list[tuple[int, bytes]]] = []
    """Given one after the other; the last one stays."""

    def do_GET(self) -> None:
        answers = self.answers
        status, body = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Keep the test's output readable."""


@contextmanager
def listing_frontend() -> Iterator[ThreadingHTTPServer]:
    """One on the loopback interface; `answers` says what it answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Frontend) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        yield listening
        listening.shutdown()


def answers(frontend: ThreadingHTTPServer, *given: tuple[int, bytes]) -> str:
    """Let it give these answers; the address to ask."""
    _Frontend.answers[:] = given
    return f"http://127.0.0.1:{frontend.server_address[1]}/v1/models"
