"""Nodes whose machine is lost, and nodes that take their place."""

import copy
import datetime as dt
import json
from typing import Any

import yaml

from lab.control_plane import SILENT
from lab.directory import REPOSITORY
from lab.dra_driver.slices import LABEL_CLIQUE
from tests.support.sandbox import Sandbox

_NODES = REPOSITORY / "lab" / "fixtures" / "nodes.yaml"
_HOSTNAME = "kubernetes.io/hostname"
_UNREACHABLE = "node.kubernetes.io/unreachable"
_SILENCE = {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}


def lose(lab: Sandbox, *names: str) -> None:
    """Lets the machines go silent, and does at once what the node controller does after its grace period.

    What kube-controller-manager would do 50 s after the last heartbeat (--node-monitor-grace-period): the
    node's condition becomes Unknown, it is tainted, its pods are not ready any more. They tolerate the taint
    for 300 s, and nobody confirms their deletion.
    """
    for name in names:
        lab.kubectl("annotate", "node", name, SILENT, "--overwrite")
        pods = lab.get("pods", "--all-namespaces", f"--field-selector=spec.nodeName={name}")["items"]
        for pod in pods:
            metadata = pod["metadata"]
            lab.kubectl("annotate", "pod", metadata["name"], "-n", metadata["namespace"], SILENT)
        node = lab.get("node", name)
        now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        unknown = [
            each | {"status": "Unknown", "lastTransitionTime": now, **_SILENCE}
            for each in node["status"]["conditions"]
        ]
        patch_status(lab, "node", node, {"conditions": unknown})
        for effect in ("NoSchedule", "NoExecute"):
            lab.kubectl("taint", "node", name, f"{_UNREACHABLE}:{effect}", "--overwrite")
        for pod in pods:
            patch_status(lab, "pod", pod, {"conditions": _unready(pod, now)})


def join(lab: Sandbox, *names: str) -> None:
    """Lets machines join that are what the lab's own nodes of these names are at first."""
    found = {node["metadata"]["name"]: node for node in _fixtures()}
    _create(lab, [found[name] for name in names])


def join_clique(lab: Sandbox, clique: str, like: str, *names: str) -> None:
    """Lets machines join that are like a node of the lab but form an NVLink domain of their own."""
    [model] = [node for node in _fixtures() if node["metadata"]["name"] == like]
    nodes: list[dict[str, Any]] = []
    for name in names:
        node = copy.deepcopy(model)
        node["metadata"]["name"] = name
        node["metadata"]["labels"] |= {_HOSTNAME: name, LABEL_CLIQUE: clique}
        nodes.append(node)
    _create(lab, nodes)


def patch_status(lab: Sandbox, kind: str, item: dict[str, Any], status: dict[str, Any]) -> None:
    """Writes these fields of the object's status, as a kubelet or a controller does."""
    metadata = item["metadata"]
    where = ("-n", metadata["namespace"]) if "namespace" in metadata else ()
    change = ("--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    lab.kubectl("patch", kind, metadata["name"], *where, *change)


def _create(lab: Sandbox, nodes: list[dict[str, Any]]) -> None:
    documents = yaml.safe_dump_all(nodes)
    lab.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=documents)


def _unready(pod: dict[str, Any], now: str) -> list[dict[str, Any]]:
    return [
        each | ({"status": "False", "lastTransitionTime": now} if each["type"] == "Ready" else {})
        for each in pod["status"].get("conditions") or []
    ]


def _fixtures() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(_NODES.read_text(encoding="utf-8")))
