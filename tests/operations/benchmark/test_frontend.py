"""Which model is measured at an address, asked of a frontend on the loopback interface."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from operations.benchmark.plan_run import served_model
from operations.errors import CommandError
from tests.recipes.listing_frontend import EMPTY, LISTED, MODEL, answers, listing_frontend

TWO = json.dumps({"data": [{"id": "a/one"}, {"id": "a/two"}]}).encode()


def _served(status: int, body: bytes, wanted: str | None = None) -> str:
    with listing_frontend() as frontend:
        url = answers(frontend, (status, body)).removesuffix("/v1/models")
        try:
            return served_model(url, wanted)
        except CommandError as error:
            return str(error).replace(url, "URL")


def test_the_only_model_is_the_one_that_is_measured() -> None:
    assert _served(200, LISTED) == MODEL
    assert _served(200, TWO, "a/two") == "a/two"


@pytest.mark.parametrize(
    ("status", "body", "wanted", "said"),
    [
        pytest.param(200, TWO, None, "URL serves a/one, a/two\n  try: --model NAME", id="two"),
        pytest.param(
            200, EMPTY, None, "URL serves no model\n  try: wait until its workers have registered", id="none"
        ),
        pytest.param(
            200,
            LISTED,
            "openai/gpt-oss-20b",
            f"URL does not serve openai/gpt-oss-20b: it serves {MODEL}\n  try: --model {MODEL}",
            id="another",
        ),
        pytest.param(404, b"", None, "URL/v1/models: HTTP 404: with nothing in it", id="something else"),
        pytest.param(
            200,
            b"<html>",
            None,
            "URL/v1/models: HTTP 200, but no JSON: '<html>'",
            id="a page",
        ),
    ],
)
def test_what_is_not_served_is_named(status: int, body: bytes, wanted: str | None, said: str) -> None:
    assert _served(status, body, wanted) == said


def test_an_address_where_nobody_listens_is_named() -> None:
    with listing_frontend() as frontend:
        url = f"http://127.0.0.1:{frontend.server_address[1]}"
    with pytest.raises(CommandError, match=r"/v1/models: no answer: Connection refused"):
        served_model(url, None)


def test_a_port_that_speaks_something_else_is_named() -> None:
    def greet() -> None:
        client, _ = server.accept()
        with client:
            client.recv(65_536)
            client.sendall(b"INFO {}\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=greet, daemon=True).start()
        with pytest.raises(
            CommandError, match="/v1/models: the connection was closed before the answer was whole"
        ):
            served_model(f"http://127.0.0.1:{server.getsockname()[1]}", None)
