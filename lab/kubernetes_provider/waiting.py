"""The loop in which an operation waits for an object, with a deadline and a way to be cancelled."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider.errors import NotReadyError, StatusError, UnreachableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from lab.kubernetes_provider.cluster import Cluster

CONDITION_TIMED_OUT = "timed out waiting for the condition"

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0
_GROWTH = 1.5


@dataclass(frozen=True)
class Readiness:
    """One look at an object: ready, or why not; `failed` when it never will be."""

    ready: bool
    reasons: tuple[str, ...] = ()
    """Parts of the error that the wait ends with."""
    failed: bool = False
    status: str = ""
    """Shown while it is waited for, and not part of the error."""


READY = Readiness(ready=True)


def not_ready(*reasons: str) -> Readiness:
    """Not ready yet, for these reasons."""
    return Readiness(ready=False, reasons=reasons)


def waiting(status: str, *reasons: str) -> Readiness:
    """Not ready yet; `status` passes, the reasons stay."""
    return Readiness(ready=False, reasons=reasons, status=status)


@dataclass(frozen=True)
class Wait:
    """What to wait for. `{name}` in `timed_out` becomes the object's name."""

    check: Callable[[dict[str, Any]], Readiness]
    timed_out: str = "'{name}' timed out waiting to be Ready"
    # The short timers of a few kinds heed neither annotation nor customTimeouts.
    fixed_seconds: float | None = None


def wait_until_ready(
    wait: Wait,
    cluster: Cluster,
    live: dict[str, Any],
    *,
    seconds: float,
    cancelled: threading.Event,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Looks at the object until it is ready and returns it. Raises NotReadyError with its last state."""
    name = live["metadata"]["name"]
    deadline = time.monotonic() + (wait.fixed_seconds or seconds)
    pause = _FIRST_PAUSE_SECONDS
    readiness = not_ready()
    while True:
        live = _latest(cluster, live)
        try:
            readiness = wait.check(live)
        except (StatusError, UnreachableError) as error:
            readiness = not_ready(str(error))
        if readiness.ready:
            # What it waited for is of no interest any more.
            say("")
            return live
        if readiness.failed:
            message = f"Resource '{name}' was created but failed to initialize"
            raise NotReadyError(message, list(readiness.reasons), live)
        if said := readiness.status or next(iter(readiness.reasons), ""):
            say(said)
        left = deadline - time.monotonic()
        if left <= 0:
            raise NotReadyError(wait.timed_out.format(name=name), list(readiness.reasons), live)
        if cancelled.wait(min(pause, left)):
            raise NotReadyError(
                f'Resource operation was cancelled for "{name}"', list(readiness.reasons), live
            )
        pause = min(pause * _GROWTH, _LONGEST_PAUSE_SECONDS)


def wait_until_gone(
    cluster: Cluster, live: dict[str, Any], *, seconds: float, cancelled: threading.Event
) -> dict[str, Any] | None:
    """Returns None when the object is gone, else its last state at the deadline or at a cancellation.

    An object of the same name with another uid is a new one: the old one is gone.
    """
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    uid = live["metadata"].get("uid")
    while True:
        try:
            found = cluster.get(live)
        except StatusError as error:
            if error.is_not_found:
                return None
            found = live
        except UnreachableError:
            found = live
        if found["metadata"].get("uid") != uid:
            return None
        left = deadline - time.monotonic()
        if left <= 0 or cancelled.wait(min(pause, left)):
            return found
        pause = min(pause * _GROWTH, _LONGEST_PAUSE_SECONDS)


def _latest(cluster: Cluster, live: dict[str, Any]) -> dict[str, Any]:
    try:
        return cluster.get(live)
    except (StatusError, UnreachableError):
        # Deleted meanwhile, or no answer: the deadline decides, as for any object that is not ready.
        return live
