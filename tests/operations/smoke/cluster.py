"""A cluster of the tests' own: its objects, and a kubectl whose port-forward leads to a loopback server."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psutil
import yaml

from components.cluster_answer import Answer
from tests.support.clusters import REFUSED

if TYPE_CHECKING:
    from pathlib import Path

    from components.cluster_answer import Kind
    from components.cluster_reader import ClusterReader

GRAPH = "gpt-oss-disagg"
SERVICES = {"Frontend": "frontend", "TrtllmPrefillWorker": "prefill", "TrtllmDecodeWorker": "decode"}
_KUBECTL = """#!/bin/sh
folder={folder}
echo "$*" >> "$folder/typed"
case " $* " in
*" get --raw "*) [ ! -e "$folder/down" ] || {{ cat "$folder/down" >&2; exit 1; }} ;;
*" logs "*) cat "$folder/log" ;;
*" port-forward "*)
  echo $$ >> "$folder/forwards"
  [ ! -e "$folder/refusal" ] || {{ cat "$folder/refusal" >&2; exit 1; }}
  echo "Forwarding from 127.0.0.1:$(cat "$folder/port") -> 8000"
  echo "Handling connection for $(cat "$folder/port")"
  exec sleep {seconds} ;;
esac
"""
_LONGEST_SECONDS = 60
DISCOVERED = {"nvidia.com/dynamo-discovery-enabled": "true"}
KUBECONFIG = {
    "contexts": [{"name": "dynamo-lab", "context": {"cluster": "dynamo-lab"}}],
    "clusters": [{"name": "dynamo-lab", "cluster": {"server": "https://127.0.0.1:1"}}],
}


@dataclass(frozen=True)
class Cluster:
    """The folder that this kubectl reads and writes, and the objects that there are."""

    folder: Path
    objects: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    """By the plural of their kind."""

    @classmethod
    def at(cls, folder: Path, port: int) -> Cluster:
        """Every pod is ready, and the port-forward leads to this port."""
        kubectl = folder / "bin" / "kubectl"
        kubectl.parent.mkdir()
        kubectl.write_text(_KUBECTL.format(folder=folder, seconds=_LONGEST_SECONDS))
        kubectl.chmod(0o755)
        (folder / "kubeconfig").write_text(yaml.safe_dump(KUBECONFIG))
        (folder / "port").write_text(str(port))
        cluster = cls(folder)
        cluster.have(*(pod(name) for name in SERVICES))
        return cluster

    @property
    def variables(self) -> dict[str, str]:
        """What a command needs in its environment to find it."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "KUBECONFIG": str(self.folder / "kubeconfig")}

    def ask(self, _cluster: ClusterReader, kind: Kind, *_: Any, **__: Any) -> Answer:
        """Answer the client as the API server does; of what no test has put down it does not say."""
        found = self.objects.get(kind.plural)
        return REFUSED if found is None else Answer.of(found)

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

    def ask_for(self, **replicas: int) -> None:
        """The replicas of the graph's components."""
        components = [{"name": name, "replicas": number} for name, number in replicas.items()]
        self.objects["dynamographdeployments"] = [{"spec": {"components": components}}]

    def log(self, *lines: str) -> None:
        """What every pod has logged."""
        (self.folder / "log").write_text("\n".join(lines))

    def refuse_forwards(self, reason: str) -> None:
        (self.folder / "refusal").write_text(reason)

    def be_down(self, reason: str) -> None:
        (self.folder / "down").write_text(reason)

    def typed(self, word: str) -> list[str]:
        """The commands that hold the word."""
        lines = (self.folder / "typed").read_text().splitlines()
        return [line for line in lines if word in line.split()]

    def live_forwards(self) -> list[int]:
        """The port-forwards that still run."""
        file = self.folder / "forwards"
        ids = [int(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [each for each in ids if psutil.pid_exists(each)]


def pod(
    service: str,
    *,
    engine: str | None = None,
    ready: bool = True,
    waiting: dict[str, str] | None = None,
    restarts: int = 0,
    ended: dict[str, Any] | None = None,
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
                    "lastState": {"terminated": ended} if ended else {},
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
