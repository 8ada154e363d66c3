from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest
import requests

from operations.smoke import client
from tests.cli.command import Answer, Command
from tests.operations.fake_cluster import FakeCluster
from tests.operations.smoke.answers import answer_well, checks_of
from tests.operations.smoke.loopback import Loopback
from tests.support.loopback import served

Smoke = Callable[..., Answer]
Checks = Callable[..., dict[str, dict[str, Any]]]
GRAPH = "gpt-oss-disagg"
SERVICES = {"Frontend": "frontend", "TrtllmPrefillWorker": "prefill", "TrtllmDecodeWorker": "decode"}
DISCOVERED = {"nvidia.com/dynamo-discovery-enabled": "true"}


class Cluster(FakeCluster):
    """The cluster of a graph."""

    @classmethod
    def at(cls, folder: Path, port: int) -> Self:
        """Every pod is ready, and the port-forward leads to this port."""
        cluster = cls(folder)
        cluster.say(
            "forwarding", f"Forwarding from 127.0.0.1:{port} -> 8000\nHandling connection for {port}\n"
        )
        cluster.have(*(pod(name) for name in SERVICES))
        return cluster

    def have(self, *pods: dict[str, Any]) -> None:
        self.objects["pods"] = list(pods)

    def discover(self, listed: str = "", written: str = "", unlabelled: str = "") -> None:
        """List a pod in an EndpointSlice, with and without the label, and have one written of itself."""
        other = {"kind": "EndpointSlice", "metadata": {}}
        self.objects["endpointslices"] = [_slice(listed, DISCOVERED), _slice(unlabelled, {}), other]
        self.register(**({written: ""} if written else {}))

    def register(self, **models: str) -> None:
        """Have these pods written of themselves, each with the model that it serves."""
        self.objects["dynamoworkermetadatas"] = [
            {
                "metadata": {"name": name},
                "spec": {"data": {"model_cards": {"x": {"card_json": {"display_name": model}}}}},
            }
            for name, model in models.items()
        ]


def pod(
    service: str,
    *,
    engine: str | None = None,
    ready: bool = True,
    waiting: dict[str, str] | None = None,
    restarts: int = 0,
) -> dict[str, Any]:
    """A pod as the operator of 1.2 labels it."""
    state = {"waiting": waiting} if waiting else {"running": {}}
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"{GRAPH}-{service.lower()}-0",
            "namespace": "gpt-oss",
            "labels": {
                "nvidia.com/dynamo-graph-deployment-name": GRAPH,
                "nvidia.com/dynamo-component": service,
                "nvidia.com/dynamo-component-type": SERVICES[service],
                "nvidia.com/dynamo-discovery-backend": "kubernetes",
            },
            "annotations": {"dynamo-stack.lab/engine": engine} if engine else {},
        },
        "spec": {"nodeName": "tray-0", "containers": [{"name": "main"}]},
        "status": {
            "phase": "Running" if ready else "Pending",
            "conditions": [{"type": "Ready", "status": str(ready)}],
            "containerStatuses": [
                {
                    "name": "main",
                    "state": state,
                    "restartCount": restarts,
                    "lastState": {},
                }
            ],
        },
    }


def _slice(pod_name: str, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "kind": "EndpointSlice",
        "metadata": {"labels": {"kubernetes.io/service-name": "of-the-worker", **labels}},
        "endpoints": [{"targetRef": {"kind": "Pod", "name": pod_name}, "conditions": {"ready": True}}],
    }


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A healthy, disaggregated deployment; a test makes one answer of it wrong."""
    found = Loopback()
    answer_well(found)
    with served(found.application()) as found.url:
        yield found
        found.released.set()


@pytest.fixture
def smoke(command: Command, server: Loopback) -> Smoke:
    """`dynamo-stack smoke --url` of the server, without a wait."""

    def run(*options: str, wait: float = 0) -> Answer:
        patience = ("--wait", str(wait), "--timeout", "10")
        return command("smoke", "--url", server.url, "--disaggregated", *patience, *options)

    return run


@pytest.fixture
def checks(smoke: Smoke) -> Checks:
    """The checks of the JSON by their names."""

    def run(*options: str, **patience: float) -> dict[str, dict[str, Any]]:
        return checks_of(smoke("--json", *options, **patience))

    return run


@pytest.fixture
def little_patience(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is borne for a moment instead of the whole time, and an hour goes by with each byte that drips.

    Whatever is answered has all the time that it may take: a busy machine would miss a short one.
    """
    real = requests.Session.request

    def request(
        session: requests.Session, method: str, url: str, *, json: Any, timeout: float, **others: Any
    ) -> requests.Response:
        reply = server.reply(url.removeprefix(server.url), json)
        is_silent = reply.silent or reply.silent_after is not None
        return real(session, method, url, json=json, timeout=0.2 if is_silent else timeout, **others)

    monkeypatch.setattr(requests.Session, "request", request)
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: 3600.0 * server.drips))


@pytest.fixture
def cluster(tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A kubectl that answers as the graph's cluster would, and forwards to the server."""
    # It leads nowhere, and a port-forward passes none.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    return Cluster.at(tmp_path, server.port).answer_in(monkeypatch)


@pytest.fixture
def smoke_stack(command: Command, cluster: Cluster) -> Smoke:
    """`dynamo-stack smoke STACK` on that cluster."""

    def run(*options: str, stack: str = "dev", wait: float = 0) -> Answer:
        answer = command("smoke", stack, "--wait", str(wait), "--timeout", "10", *options)
        assert cluster.live_forwards() == []
        return answer

    return run
