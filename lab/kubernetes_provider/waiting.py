"""The loop in which an operation waits for an object, with a deadline and a way to be cancelled."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lab.kubernetes_provider.errors import NotReadyError, StatusError, UnreachableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from lab.kubernetes_provider.cluster import Cluster, Manifest

CONDITION_TIMED_OUT = "timed out waiting for the condition"

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0
_GROWTH = 1.5
_SETTLE_SECONDS = 10.0


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


def not_ready(*reasons: str, status: str = "", failed: bool = False) -> Readiness:
    """Not ready yet; `status` passes, the reasons stay."""
    return Readiness(ready=False, reasons=reasons, status=status, failed=failed)


@dataclass
class Subject:
    """What a check may need to know beside the object; one for each wait."""

    cluster: Cluster
    is_update: bool = False
    settle_seconds: float = _SETTLE_SECONDS
    seen: dict[str, float] = field(default_factory=dict)
    """When each version of what lies behind the object was first seen."""


@dataclass(frozen=True)
class Wait:
    """What to wait for. `{name}` in `timed_out` becomes the object's name."""

    check: Callable[[Subject, Manifest], Readiness]
    timed_out: str = "'{name}' timed out waiting to be Ready"
    # The short timers of a few kinds heed neither annotation nor customTimeouts.
    fixed_seconds: float | None = None
    is_read: bool = False
    """Whether a refresh looks once, and records that the object is not ready."""


def wait_until_ready(
    wait: Wait,
    subject: Subject,
    live: Manifest,
    *,
    seconds: float,
    cancelled: threading.Event,
    say: Callable[[str], None],
) -> Manifest:
    """Looks at the object until it is ready and returns it. Raises NotReadyError with its last state."""
    name = live["metadata"]["name"]
    readiness = not_ready()
    for _ in _looks(wait.fixed_seconds or seconds, cancelled):
        # Deleted meanwhile, or no answer: the deadline decides, as for any object that is not ready.
        with suppress(StatusError, UnreachableError):
            live = subject.cluster.get(live)
        try:
            readiness = wait.check(subject, live)
        except (StatusError, UnreachableError) as error:
            readiness = not_ready(str(error))
        if readiness.ready:
            # What it waited for is of no interest any more.
            say("")
            return live
        if readiness.failed:
            message = f"Resource '{name}' was created but failed to initialize"
            raise NotReadyError(message, readiness.reasons, live)
        if said := readiness.status or next(iter(readiness.reasons), ""):
            say(said)
    cancellation = f'Resource operation was cancelled for "{name}"'
    message = cancellation if cancelled.is_set() else wait.timed_out.format(name=name)
    raise NotReadyError(message, readiness.reasons, live)


def wait_until_gone(
    cluster: Cluster, live: Manifest, *, seconds: float, cancelled: threading.Event
) -> Manifest | None:
    """Returns None when the object is gone, else its last state at the deadline or at a cancellation.

    An object of the same name with another uid is a new one: the old one is gone.
    """
    found = live
    for _ in _looks(seconds, cancelled):
        try:
            found = cluster.get(live)
        except StatusError as error:
            if error.is_not_found:
                return None
        except UnreachableError:
            continue
        if found["metadata"].get("uid") != live["metadata"].get("uid"):
            return None
    return found


def _looks(seconds: float, cancelled: threading.Event) -> Iterator[None]:
    """One look at once, others with growing pauses, the last one at the deadline."""
    deadline, pause = time.monotonic() + seconds, _FIRST_PAUSE_SECONDS
    yield
    while (left := deadline - time.monotonic()) > 0 and not cancelled.wait(min(pause, left)):
        pause = min(pause * _GROWTH, _LONGEST_PAUSE_SECONDS)
        yield
