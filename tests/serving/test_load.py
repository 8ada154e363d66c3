"""The client of the tests of faults: what it calls lost, against a server that answers wrongly."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.serving.faults.measure import Row
from tests.serving.faults.table import tables
from tests.support.load import Load
from tests.support.waiting import until

TOKENS = 2
_WORD = {"choices": [{"delta": {"content": "a"}}]}
_END = [{"usage": {"completion_tokens": TOKENS}}]
Answers = dict[str, tuple[int, list[str]]]


def _events(*events: object) -> list[str]:
    return [f"data: {json.dumps(each)}\n\n" for each in events]


WHOLE = [*_events(_WORD, _WORD, *_END), "data: [DONE]\n\n"]
WRONG = {
    "HTTP 503": (503, ['{"message": "busy"}']),
    "HTTP 404": (404, ['{"message": "Model not found"}']),
    "an error among the events": (200, ["event: error\n", ': {"message": "gone"}\n\n', *WHOLE]),
    "an error among the events: {'message'": (
        200,
        [*_events(_WORD, {"error": {"message": "gone"}}), "data: [DONE]\n\n"],
    ),
    "the stream broke off": (200, _events(_WORD)),
    "1 of 2 tokens": (200, [*_events(_WORD, {"usage": {"completion_tokens": 1}}), "data: [DONE]\n\n"]),
}


@pytest.fixture
def serve() -> Iterator[Callable[[int, list[str]], str]]:
    """Starts a server that gives this answer to everything; returns its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(status: int, parts: list[str]) -> str:
        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.end_headers()
                self.wfile.write("".join(parts).encode())

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def _asked(url: str) -> Load:
    with Load(url, "a-model", streams=2, tokens=TOKENS) as load:
        until(lambda: len(load.requests) >= 2, "two answers", 10)
    return load


def test_a_whole_answer_is_not_lost(serve: Callable[[int, list[str]], str]) -> None:
    for each in _asked(serve(200, WHOLE)).requests:
        assert not each.is_lost, each
        assert each.first_token is not None
        assert each.started < each.first_token <= each.ended


@pytest.mark.parametrize("found", WRONG)
def test_what_is_not_a_whole_answer_is_lost_and_says_why(
    serve: Callable[[int, list[str]], str], found: str
) -> None:
    for each in _asked(serve(*WRONG[found])).requests:
        assert each.error.startswith(found), each


def test_a_server_that_is_not_there_loses_every_request() -> None:
    for each in _asked("http://127.0.0.1:9").requests:
        assert each.error.startswith("ClientConnectorError"), each


def test_the_table_shows_the_last_measurement_of_each_fault() -> None:
    first = Row("a fault", "one of each", 8, 8, 40, 3, 4.21, "HTTP 500: gone", "its answers", "operator-gone")
    again = Row("a fault", "one of each", 8, 0, 40, 0, 0.0, "", "its answers", "")
    shown = tables([first])
    assert "| a fault | 8, 8 | 40, 3 | 4.2 s | `HTTP 500: gone` |" in shown
    assert "its answers ([runbook](runbook/operator-gone.md)) |" in shown
    assert "| a fault | 8, 0 | 40, 0 | throughout |  | its answers |" in tables([first, again])
    assert "8, 8" not in tables([first, again])
