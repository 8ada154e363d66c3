"""A cluster with the platform's release and one small graph, for tests of the operator stand-in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.charts import INDEX_FILE
from tests.support import waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.sandbox import Sandbox

NAMESPACE = "operator-test"
GRAPHS = "graphs-test"
# The garbage collector learns of a new CRD only every 30 seconds; until then a graph's objects outlive it.
DEADLINE = 60.0


class Cluster:
    """What the tests do with the cluster."""

    def __init__(self, lab: Sandbox, folder: Path) -> None:
        self.lab = lab
        self._file = folder / "graph.json"

    def apply(self, graph: dict[str, Any], *flags: str, check: bool = True, namespace: str = GRAPHS) -> Any:
        graph = graph | {"metadata": {"name": "toy", "namespace": namespace}}
        self._file.write_text(json.dumps(graph), encoding="utf-8")
        return self.lab.kubectl("apply", "--server-side", "-f", str(self._file), *flags, check=check)

    def graph(self) -> dict[str, Any]:
        graph: dict[str, Any] = self.lab.get("dynamographdeployment", "toy", "--namespace", GRAPHS)
        return graph

    def await_condition(self, status: str) -> None:
        condition = f"--for=condition=Ready={status}"
        self.lab.kubectl(
            "wait", condition, "dynamographdeployment/toy", "--namespace", GRAPHS, "--timeout=30s"
        )

    def await_status(self, is_wanted: Callable[[dict[str, Any]], bool]) -> None:
        until(self.lab, "the status", lambda: is_wanted(self.graph()["status"]))

    def names(self, kind: str) -> list[str]:
        return names(self.lab, kind)


def until(lab: Sandbox, what: str, holds: Callable[[], bool]) -> None:
    """Waits for what the cluster stores."""
    waiting.until(holds, what, DEADLINE, cluster=lab.directory)


def until_answered(what: str, holds: Callable[[], bool]) -> None:
    """Waits for an answer of the cluster's that changes without anything being stored."""
    waiting.until(holds, what, DEADLINE)


def names(lab: Sandbox, kind: str) -> list[str]:
    found = lab.get(kind, "--namespace", GRAPHS)["items"]
    return sorted(each["metadata"]["name"] for each in found)


def install(lab: Sandbox) -> None:
    charts = lab.directory.charts
    entry, *_ = json.loads((charts / INDEX_FILE).read_text(encoding="utf-8"))
    lab.run(
        "helm",
        *(
            "install",
            "dynamo-platform",
            str(charts / entry["path"]),
            "--namespace",
            NAMESPACE,
            "--create-namespace",
        ),
        *("--set", "global.nats.install=false", "--wait", "--timeout", "60s"),
    )


def uninstall(lab: Sandbox) -> None:
    lab.run("helm", "uninstall", "dynamo-platform", "--namespace", NAMESPACE, "--wait")


def scale(lab: Sandbox, replicas: int) -> None:
    name = "deployment/dynamo-platform-dynamo-operator-controller-manager"
    lab.kubectl("scale", name, "--namespace", NAMESPACE, f"--replicas={replicas}")
    lab.kubectl("rollout", "status", name, "--namespace", NAMESPACE, "--timeout=30s")
