"""What must be there before anything is measured: pods of a stack, or a model at an address."""

from __future__ import annotations

import json
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from operations.benchmark.plan_run import served_model, serving_engine
from operations.errors import CommandError
from operations.mock_engine import ENGINE_ANNOTATION
from tests.operations.benchmark.fake_kubectl import FakeKubectl
from tests.recipes.listing_frontend import EMPTY, LISTED, MODEL, answers, listing_frontend
from tests.support.shipped_stacks import shipped_stack

if TYPE_CHECKING:
    from pathlib import Path

STACK = shipped_stack("disagg-gb200-two-trays")
READY = [{"type": "Ready", "status": "True"}]
TWO = json.dumps({"data": [{"id": "a/one"}, {"id": "a/two"}]}).encode()


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    return FakeKubectl(tmp_path, monkeypatch)


def _pod(
    name: str, phase: str = "Running", annotations: Any = None, conditions: Any = READY
) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "annotations": annotations},
        "status": {"phase": phase, "conditions": conditions},
    }


@pytest.mark.parametrize(("annotations", "engine"), [(None, "real"), ({ENGINE_ANNOTATION: "mock"}, "mock")])
def test_a_pod_with_a_mock_engine_makes_it_a_mock(
    annotations: dict[str, str] | None, engine: str, kubectl: FakeKubectl
) -> None:
    kubectl.says_graph(_pod("frontend"), _pod("decode", annotations=annotations))
    assert serving_engine(STACK, kubectl.commands) == engine


@pytest.mark.parametrize(
    ("pods", "said"),
    [
        ([_pod("old", phase="Failed")], "has no pod: there is nothing to measure\n  try: `pulumi up`"),
        (
            [_pod("frontend"), _pod("decode", conditions=[])],
            "does not serve with all of its pods\n  decode: Running, started but not ready",
        ),
        (None, "failed; nothing was changed\n  the API server"),
    ],
    ids=["no pod", "a part of its pods", "no answer of the cluster"],
)
def test_a_graph_that_does_not_serve_is_not_measured(
    pods: list[Any] | None, said: str, kubectl: FakeKubectl
) -> None:
    kubectl.says_graph(*(pods or ()))
    kubectl.is_away = pods is None
    with pytest.raises(CommandError) as refused:
        serving_engine(STACK, kubectl.commands)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("status", "body", "wanted", "said"),
    [
        pytest.param(200, LISTED, None, MODEL, id="the only one"),
        pytest.param(200, TWO, "a/two", "a/two", id="the one that was asked for"),
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
        pytest.param(200, b"<html>", None, "URL/v1/models: HTTP 200, but no JSON: '<html>'", id="a page"),
    ],
)
def test_the_model_at_an_address_is_found_or_what_is_served_is_named(
    status: int, body: bytes, wanted: str | None, said: str
) -> None:
    with listing_frontend() as frontend:
        url = answers(frontend, (status, body)).removesuffix("/v1/models")
        try:
            found = served_model(url, wanted)
        except CommandError as error:
            found = str(error).replace(url, "URL")
    assert found == said


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
