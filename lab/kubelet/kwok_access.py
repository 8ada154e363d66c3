"""How kubectl reaches a pod's processes: kwok's own objects for logs, exec and port-forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubelet.images import image_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lab.controller.api import Manifest
    from lab.kubelet.machine import Machine

KINDS = ("PortForward", "Logs", "Exec")
"""To be served by kwok (KwokctlConfiguration, options.enableCRDs)."""
_API = "kwok.x-k8s.io/v1alpha1"


def access_objects(machine: Machine, pod: Mapping[str, Any], folder: Path) -> list[Manifest]:
    """Return the objects of one pod; they go with it."""
    metadata = pod["metadata"]
    address = machine.address(pod)
    containers = pod["spec"]["containers"]
    ports = [each["containerPort"] for container in containers for each in container.get("ports", ())]
    forwards = [{"ports": [port], "target": {"port": port, "address": address}} for port in ports]
    logs = [
        {"containers": [each["name"]], "logsFile": str(machine.log_file(pod, each["name"])), "follow": True}
        for each in (*pod["spec"].get("initContainers", ()), *containers)
    ]
    executions = [
        {
            "containers": [each["name"]],
            "local": {"workDir": str(folder), "envs": _variables(machine, address, each)},
        }
        for each in containers
    ]
    specs = {"PortForward": {"forwards": forwards}, "Logs": {"logs": logs}, "Exec": {"execs": executions}}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": metadata["name"], "uid": metadata["uid"]}
    named = {
        "name": metadata["name"],
        "namespace": metadata["namespace"],
        "ownerReferences": [owner],
    }
    return [{"apiVersion": _API, "kind": kind, "metadata": named, "spec": specs[kind]} for kind in KINDS]


def _variables(machine: Machine, address: str, container: Mapping[str, Any]) -> list[dict[str, str]]:
    given = machine.variables(address, None, image_of(container))
    return [{"name": name, "value": value} for name, value in given.items()]
