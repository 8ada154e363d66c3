"""What a person sees after `make lab-up`: pods, nodes, GPUs, the graph's state, and why a pod waits."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from lab.environment import sealed_environment
from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.directory import LabDirectory
    from lab.rehearsal import Step

_GPU = "nvidia.com/gpu"
_GRAPH = "dynamographdeployments.nvidia.com"


def pods_table(lab: LabDirectory) -> Table:
    """Every pod of the simulated cluster with its node, its GPUs and its phase."""
    table = _table("Pods (simulated: no container runs)", "namespace", "pod", "node", "GPUs", "state")
    for pod in _items(lab, "pods"):
        metadata, spec = pod["metadata"], pod["spec"]
        table.add_row(
            metadata["namespace"],
            metadata["name"],
            spec.get("nodeName", "-"),
            str(_gpus(spec) or ""),
            _state(pod),
        )
    return table


def graphs_table(lab: LabDirectory) -> Table:
    """Every graph with what its operator (a stand-in) says of it."""
    table = _table("Graphs", "namespace", "graph", "state", "evidence")
    for graph in _items(lab, _stored(lab)):
        status = graph.get("status") or {}
        ready = _condition(graph, "Ready")
        # Until the operator has seen a change, the condition is about what was asked for before.
        is_seen = status.get("observedGeneration", 0) >= graph["metadata"].get("generation", 0)
        is_ready = is_seen and ready.get("status") == "True"
        why = ready.get("message", "") if is_seen else "its operator has not seen its latest change"
        table.add_row(
            graph["metadata"]["namespace"],
            graph["metadata"]["name"],
            f"{status.get('state', 'unknown')}" + ("" if is_ready else f": {why}"),
            "scheduled (simulated)" if is_ready else "not ready",
        )
    return table


def steps_table(stack: str, steps: Sequence[Step]) -> Table:
    """What a rehearsal has done, how long it took, and what the engine changed."""
    table = _table(f"Rehearsal of {stack} (simulated)", "step", "seconds", "changes")
    for step in steps:
        table.add_row(step.name, f"{step.seconds:.1f}", step.changes)
    return table


def _table(title: str, *columns: str) -> Table:
    return Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _stored(lab: LabDirectory) -> str:
    """Graphs at the version that is stored: any other needs the operator, which may be away."""
    plural, _, group = _GRAPH.partition(".")
    for definition in _items(lab, "customresourcedefinitions"):
        for version in definition["spec"]["versions"]:
            if definition["metadata"]["name"] == _GRAPH and version["storage"]:
                return f"{plural}.{version['name']}.{group}"
    return _GRAPH


def _items(lab: LabDirectory, kind: str) -> list[dict[str, Any]]:
    answer = subprocess.run(
        [str(lab.bin / "kubectl"), "get", kind, "--all-namespaces", "-o", "json"],
        env=sealed_environment(lab),
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode == 0:
        return json.loads(answer.stdout)["items"]
    if "doesn't have a resource type" in answer.stderr:
        return []
    raise LabError(f"`kubectl get {kind}` failed:\n{answer.stderr.strip()}")


def _gpus(spec: dict[str, Any]) -> int:
    limits = [container.get("resources", {}).get("limits", {}) for container in spec["containers"]]
    return sum(int(limit.get(_GPU, 0)) for limit in limits)


def _state(pod: dict[str, Any]) -> str:
    phase = pod["status"].get("phase", "Unknown")
    if phase != "Pending":
        return phase
    return f"Pending: {_condition(pod, 'PodScheduled').get('message', 'not scheduled yet')}"


def _condition(item: dict[str, Any], name: str) -> dict[str, Any]:
    conditions = (item.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == name), {})
