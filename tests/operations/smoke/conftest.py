from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.documents.schemas import read_document
from tests.operations.smoke.answers import answer_well
from tests.operations.smoke.cluster import Cluster
from tests.operations.smoke.loopback import Loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.command import Answer, Command


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A healthy, disaggregated deployment; a test makes one answer of it wrong."""
    found = Loopback()
    try:
        answer_well(found)
        yield found
    finally:
        found.close()


@pytest.fixture
def smoke(command: Command, server: Loopback) -> Callable[..., Answer]:
    """`dynamo-stack smoke --url` of the server, with little patience."""

    def run(*options: str, wait: float = 0, timeout: float = 10) -> Answer:
        patience = ("--wait", str(wait), "--timeout", str(timeout))
        return command("smoke", "--url", server.url, "--disaggregated", *patience, *options)

    return run


@pytest.fixture
def checks(smoke: Callable[..., Answer]) -> Callable[..., dict[str, dict[str, Any]]]:
    """The checks of the JSON by their names."""

    def run(*options: str, **patience: float) -> dict[str, dict[str, Any]]:
        answer = smoke("--json", *options, **patience)
        report = read_document("smoke", answer.out)
        assert answer.code == int(report["failed"])
        return {check["name"]: check for check in report["checks"]}

    return run


@pytest.fixture
def cluster(tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A kubectl that answers as the graph's cluster would, and forwards to the server."""
    found = Cluster.at(tmp_path, server.port)
    found.answer_in(monkeypatch)
    # It leads nowhere, and a port-forward passes none.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    return found


@pytest.fixture
def smoke_stack(command: Command, cluster: Cluster) -> Callable[..., Answer]:
    """`dynamo-stack smoke STACK` on that cluster."""

    def run(*options: str, stack: str = "dev", wait: float = 0) -> Answer:
        answer = command("smoke", stack, "--wait", str(wait), "--timeout", "10", *options)
        assert cluster.live_forwards() == []
        return answer

    return run
