"""Pod: scheduled, initialised and ready, or done; also what a workload's wait says about its pods.

That a pod cannot be scheduled is a line that passes while it is waited for, and no part of the error: the
vendor's checker calls it a status, and an error takes warnings alone (pulumi-kubernetes
provider/pkg/await/checker/pod/check.go, podScheduled, and provider/pkg/await/pod.go, errorMessages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider.conditions import condition, is_true
from lab.kubernetes_provider.waiting import READY, Readiness, Wait, waiting

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster

_MOST_PODS_NAMED = 10


def check(live: dict[str, Any]) -> Readiness:
    """Whether the pod is ready, or has run to its end."""
    if (live.get("status") or {}).get("phase") == "Succeeded" or is_true(live, "Ready"):
        return READY
    metadata = live["metadata"]
    return waiting(
        f'Waiting for Pod "{metadata["namespace"]}/{metadata["name"]}" to be ready', *problems(live)
    )


def problems(pod: dict[str, Any]) -> list[str]:
    """Why the pod is not ready, in the kubelet's words; empty before a kubelet has it."""
    if condition(pod, "PodScheduled").get("status") == "False":
        return []
    found: list[str] = []
    for container in (pod.get("status") or {}).get("containerStatuses") or []:
        state = container.get("state") or {}
        waiting = state.get("waiting") or state.get("terminated") or {}
        if waiting.get("reason"):
            found.append(f"[{container['name']}] {waiting['reason']} {waiting.get('message', '')}".strip())
    ready = condition(pod, "Ready")
    if ready.get("message"):
        found.append(str(ready["message"]))
    return found


def problems_of(cluster: Cluster, namespace: str, labels: dict[str, str]) -> list[str]:
    """Why the pods with these labels are not ready, each under its name."""
    if not labels:
        return []
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    found: list[str] = []
    for pod in cluster.list("v1", "Pod", namespace, labelSelector=selector)[:_MOST_PODS_NAMED]:
        if not check(pod).ready:
            found += [f"[Pod {namespace}/{pod['metadata']['name']}]: {problem}" for problem in problems(pod)]
    return found


WAIT = Wait(check=check)
