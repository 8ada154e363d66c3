"""The cluster of a graph, whose port-forward leads to a loopback server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.operations.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from pathlib import Path

GRAPH = "gpt-oss-disagg"
SERVICES = {"Frontend": "frontend", "TrtllmPrefillWorker": "prefill", "TrtllmDecodeWorker": "decode"}
DISCOVERED = {"nvidia.com/dynamo-discovery-enabled": "true"}


class Cluster(FakeCluster):
    """The cluster of a graph."""

    @classmethod
    def at(cls, folder: Path, port: int) -> Cluster:
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
