"""What the kubelet knows of one container, and how its status says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Waiting:
    """Not started yet, or not again."""

    reason: str
    message: str = ""

    def status(self) -> dict[str, Any]:
        """Return it as the value of `state`."""
        return {"waiting": {"reason": self.reason, **({"message": self.message} if self.message else {})}}


@dataclass(frozen=True)
class Running:
    """A process runs."""

    started_at: str

    def status(self) -> dict[str, Any]:
        """Return it as the value of `state`."""
        return {"running": {"startedAt": self.started_at}}


@dataclass(frozen=True)
class Terminated:
    """The process has ended."""

    code: int
    started_at: str
    finished_at: str
    message: str = ""

    @property
    def reason(self) -> str:
        """Completed or Error, as the container runtime calls them."""
        return "Completed" if self.code == 0 else "Error"

    def status(self) -> dict[str, Any]:
        """Return it as the value of `state` or `lastState`."""
        said = {"message": self.message} if self.message else {}
        times = {"startedAt": self.started_at, "finishedAt": self.finished_at}
        return {"terminated": {"exitCode": self.code, "reason": self.reason, **times, **said}}


@dataclass
class ContainerState:
    """One container's state; the task that runs the container changes it, everybody else reads it."""

    name: str
    image: str
    state: Waiting | Running | Terminated = field(default_factory=lambda: Waiting("PodInitializing"))
    last: Terminated | None = None
    restarts: int = 0
    is_started: bool = False
    is_ready: bool = False

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
            "state": self.state.status(),
            "lastState": self.last.status() if self.last else {},
        }
