"""What a person sees after `make lab-up`: pods, nodes, GPUs, the graph's state, and why a pod waits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from lab.answer import request_body
from lab.custom_resources import GRAPH_VERSIONS
from lab.errors import LabError
from lab.kubelet.kubelet import RUNS_HERE
from lab.tool import run

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lab.answer import Answer
    from lab.directory import LabDirectory
    from lab.rehearsal import Step

GraphKey = tuple[str, str]
"""Namespace and name of a graph."""

_GPU = "nvidia.com/gpu"
# At the version that is stored: any other needs the operator, which may be away.
_GRAPHS = f"dynamographdeployments.{GRAPH_VERSIONS[0]}.nvidia.com"
_GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
_COMPONENT_TYPE = "nvidia.com/dynamo-component-type"
ENGINE = "dynamo-stack.lab/engine"
"""Annotation of pods whose engine is a mock (lab/fixtures/served_pods.yaml)."""


def pods_table(lab: LabDirectory) -> Table:
    """Every pod of the simulated cluster with its node, its GPUs and its phase."""
    table = _table("Pods on simulated nodes and GPUs", "namespace", "pod", "node", "GPUs", "state")
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


def graphs_table(lab: LabDirectory, answered: Collection[GraphKey] = ()) -> Table:
    """Every graph with what its operator (a stand-in) says of it; `answered` are those that answered."""
    table = _table("Graphs", "namespace", "graph", "state", "evidence")
    for graph in _items(lab, _GRAPHS):
        metadata, status = graph["metadata"], graph.get("status") or {}
        ready = _condition(graph, "Ready")
        # Until the operator has seen a change, the condition is about what was asked for before.
        is_seen = status.get("observedGeneration", 0) >= metadata.get("generation", 0)
        is_ready = is_seen and ready.get("status") == "True"
        why = ready.get("message", "") if is_seen else "its operator has not seen its latest change"
        table.add_row(
            metadata["namespace"],
            metadata["name"],
            f"{status.get('state', 'unknown')}" + ("" if is_ready else f": {why}"),
            _evidence(is_ready=is_ready, has_answered=(metadata["namespace"], metadata["name"]) in answered),
        )
    return table


def frontends(lab: LabDirectory) -> dict[GraphKey, str]:
    """The addresses of the frontends behind which a process runs, by namespace and name of their graphs."""
    served = {
        (pod["metadata"]["namespace"], pod["metadata"].get("labels", {}).get(_GRAPH_LABEL))
        for pod in _items(lab, "pods")
        if RUNS_HERE in pod["metadata"].get("annotations", {})
    }
    found: dict[GraphKey, str] = {}
    for service in _items(lab, "services"):
        metadata, spec = service["metadata"], service["spec"]
        key = (metadata["namespace"], metadata.get("labels", {}).get(_GRAPH_LABEL, ""))
        if key in served and spec.get("selector", {}).get(_COMPONENT_TYPE) == "frontend":
            found[key] = f"http://{spec['clusterIP']}:{spec['ports'][0]['port']}"
    return found


def shown_answer(answer: Answer) -> str:
    """The request for a person to type again, and what came back."""
    body = json.dumps(request_body(answer.model))
    usage = answer.body["usage"]
    content = answer.body["choices"][0]["message"]["content"]
    return (
        f"$ curl -s {answer.url}/v1/chat/completions -H 'Content-Type: application/json' -d '{body}'\n"
        f"  {content}\n"
        f"  {usage['prompt_tokens']} prompt and {usage['completion_tokens']} completion tokens: words of a "
        "mock engine, by way of the real frontend and the real runtime of the workers"
    )


def steps_table(stack: str, steps: Sequence[Step]) -> Table:
    """What a rehearsal has done, how long it took, and what the engine changed."""
    table = _table(f"Rehearsal of {stack} (simulated)", "step", "seconds", "changes")
    for step in steps:
        table.add_row(step.name, f"{step.seconds:.1f}", step.changes)
    return table


def _table(title: str, *columns: str) -> Table:
    return Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _items(lab: LabDirectory, kind: str) -> list[dict[str, Any]]:
    try:
        return json.loads(run(lab, "kubectl", "get", kind, "--all-namespaces", "-o", "json").stdout)["items"]
    except LabError as error:
        if "doesn't have a resource type" in str(error):
            return []
        raise


def _evidence(*, is_ready: bool, has_answered: bool) -> str:
    if not is_ready:
        return "not ready"
    return "mock-served" if has_answered else "scheduled (simulated)"


def _gpus(spec: dict[str, Any]) -> int:
    limits = [container.get("resources", {}).get("limits", {}) for container in spec["containers"]]
    return sum(int(limit.get(_GPU, 0)) for limit in limits)


def _state(pod: dict[str, Any]) -> str:
    phase = pod["status"].get("phase", "Unknown")
    annotations = pod["metadata"].get("annotations", {})
    if RUNS_HERE in annotations and phase == "Running":
        is_ready = _condition(pod, "Ready").get("status") == "True"
        serves = "serving (mock engine)" if annotations.get(ENGINE) == "mock" else "Running (process)"
        return serves if is_ready else "Running, not ready"
    if phase != "Pending":
        return f"{phase} (simulated)"
    return f"Pending: {_condition(pod, 'PodScheduled').get('message', 'not scheduled yet')}"


def _condition(item: dict[str, Any], name: str) -> dict[str, Any]:
    conditions = (item.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == name), {})
