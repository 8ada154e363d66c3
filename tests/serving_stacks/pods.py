"""What the tests of whole stacks look at: the pods of a graph, where they are, what they hold."""

from typing import Any

from tests.support.lab_stack import GRAPH_LABEL
from tests.support.sandbox import Sandbox

GPU_RESOURCE = "nvidia.com/gpu"


def pods_of(lab: Sandbox, graph: str, namespace: str) -> dict[str, list[dict[str, Any]]]:
    """The pods of a graph by component type: frontend, worker, prefill, decode."""
    found: dict[str, list[dict[str, Any]]] = {}
    for pod in lab.get("pods", "-n", namespace, "-l", f"{GRAPH_LABEL}={graph}")["items"]:
        found.setdefault(pod["metadata"]["labels"]["nvidia.com/dynamo-component-type"], []).append(pod)
    return found


def nodes_of(pods: list[dict[str, Any]]) -> list[str]:
    """The nodes on which running pods are, sorted; a pod that does not run fails the test."""
    waiting = [pod["metadata"]["name"] for pod in pods if pod["status"]["phase"] != "Running"]
    assert waiting == []
    return sorted(pod["spec"]["nodeName"] for pod in pods)


def gpus_of(pod: dict[str, Any]) -> int:
    """The GPUs that the pod holds."""
    [main] = [container for container in pod["spec"]["containers"] if container["name"] == "main"]
    return int(main["resources"].get("limits", {}).get(GPU_RESOURCE, 0))


def variables_of(pod: dict[str, Any]) -> dict[str, str]:
    """The plain environment variables of the main container."""
    [main] = [container for container in pod["spec"]["containers"] if container["name"] == "main"]
    return {entry["name"]: entry["value"] for entry in main["env"] if "value" in entry}


def claims_of(lab: Sandbox, pod: dict[str, Any]) -> list[dict[str, Any]]:
    """The resource claims that the scheduler allocated for the pod."""
    names = [status["resourceClaimName"] for status in pod["status"].get("resourceClaimStatuses", [])]
    return [lab.get("resourceclaim", name, "-n", pod["metadata"]["namespace"]) for name in names]
