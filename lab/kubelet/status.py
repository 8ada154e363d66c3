"""What the kubelet knows of a pod's containers, and the pod's status, in the words of the API. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lab.controller.objects import dated, now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

State = dict[str, Any]
"""A value of `state` or `lastState`."""


def waiting(reason: str, message: str = "") -> State:
    """Not started yet, or not again."""
    return {"waiting": {"reason": reason, **_said(message)}}


def running(started_at: str) -> State:
    """A process runs."""
    return {"running": {"startedAt": started_at}}


def terminated(code: int, started_at: str, finished_at: str, message: str = "") -> State:
    """The process has ended: Completed or Error, as the container runtime calls them."""
    reason = "Completed" if code == 0 else "Error"
    times = {"startedAt": started_at, "finishedAt": finished_at}
    return {"terminated": {"exitCode": code, "reason": reason, **times, **_said(message)}}


@dataclass
class ContainerState:
    """One container's state; the task that runs the container changes it, everybody else reads it."""

    name: str
    image: str
    state: State = field(default_factory=lambda: waiting("PodInitializing"))
    last: State = field(default_factory=dict[str, Any])
    restarts: int = 0
    is_started: bool = False
    is_ready: bool = False

    @property
    def exit_code(self) -> int | None:
        """How the process ended; None where it did not."""
        code: int | None = self.state.get("terminated", {}).get("exitCode")
        return code

    def status(self) -> dict[str, Any]:
        """Return its entry in containerStatuses."""
        return {
            "name": self.name,
            "image": self.image,
            "imageID": "",
            "containerID": f"lab://{self.name}",
            "ready": self.is_ready,
            "started": self.is_started,
            "restartCount": self.restarts,
            "state": self.state,
            "lastState": self.last,
        }


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
    initialized = all(each.exit_code == 0 for each in prepared)
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
    failed = [each for each in (*prepared, *containers) if each.exit_code not in {None, 0}]
    if policy == "Never" and failed:
        return "Failed"
    if policy != "Always" and containers and all(each.exit_code == 0 for each in containers):
        return "Succeeded"
    has_begun = any("waiting" not in each.state or each.restarts for each in containers)
    return "Running" if has_begun else "Pending"


def _truth(holds: object) -> str:
    return "True" if holds else "False"


def _said(message: str) -> dict[str, str]:
    return {"message": message} if message else {}
