"""A pod's status from the states of its containers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.controller.objects import dated, now
from lab.kubelet.container_state import Running, Terminated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.kubelet.container_state import ContainerState


def pod_status(
    pod: Mapping[str, Any],
    pod_ip: str,
    prepared: Sequence[ContainerState],
    containers: Sequence[ContainerState],
) -> dict[str, Any]:
    """Return the status; conditions that did not change keep the time of their last change.

    Args:
        pod: as it was last seen, with its conditions.
        pod_ip: its address as the cluster knows it.
        prepared: its init containers.
        containers: its containers.

    """
    before = pod.get("status", {})
    initialized = all(isinstance(each.state, Terminated) and each.state.code == 0 for each in prepared)
    ready = bool(containers) and all(each.is_ready for each in containers)
    unready = [each.name for each in containers if not each.is_ready]
    reason = {} if ready else {"reason": "ContainersNotReady"}
    message = {} if ready else {"message": f"containers with unready status: [{' '.join(unready)}]"}
    values: list[dict[str, Any]] = [
        {"type": "Initialized", "status": _truth(initialized)},
        {"type": "Ready", "status": _truth(ready), **reason, **message},
        {"type": "ContainersReady", "status": _truth(ready), **reason, **message},
    ]
    kept = [each for each in before.get("conditions", ()) if each["type"] == "PodScheduled"]
    status: dict[str, Any] = {
        "phase": phase(pod, prepared, containers),
        "conditions": [*(dated(each, before, now()) for each in values), *kept],
        "containerStatuses": [each.status() for each in containers],
        "podIP": pod_ip,
        "podIPs": [{"ip": pod_ip}],
        "startTime": before.get("startTime") or now(),
    }
    if prepared:
        status["initContainerStatuses"] = [each.status() for each in prepared]
    return status


def phase(
    pod: Mapping[str, Any], prepared: Sequence[ContainerState], containers: Sequence[ContainerState]
) -> str:
    """Return the pod's phase."""
    policy = pod["spec"].get("restartPolicy", "Always")
    failed = [each for each in (*prepared, *containers) if _code(each) not in {None, 0}]
    if policy == "Never" and failed:
        return "Failed"
    if policy != "Always" and containers and all(_code(each) == 0 for each in containers):
        return "Succeeded"
    has_begun = any(isinstance(each.state, Running | Terminated) or each.restarts for each in containers)
    return "Running" if has_begun else "Pending"


def _code(container: ContainerState) -> int | None:
    return container.state.code if isinstance(container.state, Terminated) else None


def _truth(holds: object) -> str:
    return "True" if holds else "False"
