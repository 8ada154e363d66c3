"""Why pods are not ready, in the words of the scheduler, the kubelet and the container runtime."""

from collections.abc import Iterable, Sequence

from components.cluster_reader import KubernetesObject

_READY = "Ready"


def pod_reasons(pods: Iterable[KubernetesObject]) -> list[str]:
    """Return one line for each pod that is not ready, with the reason that Kubernetes gives."""
    return [f"{pod['metadata']['name']}: {_reason(pod)}" for pod in pods if not is_ready(pod)]


def is_ready(item: KubernetesObject) -> bool:
    """Whether the condition Ready of a pod or a node is true."""
    return any(
        condition["type"] == _READY and condition["status"] == "True" for condition in _conditions(item)
    )


def lost_node_reasons(nodes: Iterable[KubernetesObject], pods: Sequence[KubernetesObject]) -> list[str]:
    """Return one line for each node that does not answer, or is gone, and holds one of the pods."""
    by_name = {node["metadata"]["name"]: node for node in nodes}
    used = sorted({pod["spec"]["nodeName"] for pod in pods if pod.get("spec", {}).get("nodeName")})
    return [
        f"node {name}: {_why_lost(by_name.get(name))}" for name in used if not is_ready(by_name.get(name, {}))
    ]


def _why_lost(node: KubernetesObject | None) -> str:
    if node is None:
        return "does not exist any more"
    for condition in _conditions(node):
        if condition["type"] == _READY:
            return f"not ready, {condition.get('message') or condition.get('reason') or 'without a reason'}"
    return "not ready, it has not reported yet"


def _reason(pod: KubernetesObject) -> str:
    status = pod.get("status", {})
    for condition in _conditions(pod):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return f"{status.get('phase', 'Pending')}, {condition.get('message', 'not scheduled')}"
    if pod["metadata"].get("deletionTimestamp"):
        return f"being deleted, which its node {pod.get('spec', {}).get('nodeName')} has not confirmed"
    for container in [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]:
        for state in ("waiting", "terminated"):
            found = (container.get("state") or {}).get(state)
            if found and found.get("reason") != "Completed":
                said = f"{container['name']} {state}, {found.get('reason')} {found.get('message', '')}"
                return " ".join(said.split())
    return f"{status.get('phase', 'unknown')}, started but not ready"


def _conditions(item: KubernetesObject) -> list[KubernetesObject]:
    return item.get("status", {}).get("conditions") or []
