"""Waits with a deadline; for what a cluster stores by one watch of all of it, by HTTP of etcd."""

import base64
import json
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from lab import slots
from lab.directory import LabDirectory

_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 5.0
_SILENCE_SECONDS = 60.0
# Changes come in bursts.
_BURST_SECONDS = 0.1
# Written every few seconds by all nodes and controllers, and read by nobody who waits.
_PULSES = (b"/registry/leases/", b"/registry/masterleases/", b"/registry/events/")


def until(
    happened: Callable[[], bool],
    what: str,
    seconds: float = 90.0,
    *,
    cluster: LabDirectory | None = None,
    seen: Callable[[], str] = str,
) -> None:
    """Waits, and fails the test where `what` did not come in time.

    Args:
        happened: whether it did.
        what: in the words of a failure.
        seconds: the deadline.
        cluster: looks again when this one has stored a change; every look starts kubectl, and many slow down
            what they wait for.
        seen: what a reader of the failure wants to know besides.

    """
    deadline = time.monotonic() + seconds
    with changes_of(cluster) if cluster else nullcontext(_pause) as next_change:
        while not happened():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds:.0f} s: {what}\n{seen()}".rstrip())
            next_change()


@contextmanager
def changes_of(lab: LabDirectory) -> Iterator[Callable[[], None]]:
    """Give a function that returns when the cluster has stored a change since its last call.

    It returns after five seconds in any case: what is waited for may not be stored at all.
    """
    changed, is_over = threading.Event(), threading.Event()
    threading.Thread(target=_follow, args=(lab, changed, is_over), daemon=True).start()

    def wait() -> None:
        changed.wait(_LONGEST_PAUSE_SECONDS)
        changed.clear()
        time.sleep(_BURST_SECONDS)

    try:
        yield wait
    finally:
        is_over.set()


def _pause() -> None:
    time.sleep(_PAUSE_SECONDS)


def _follow(lab: LabDirectory, changed: threading.Event, is_over: threading.Event) -> None:
    port = slots.ports(slots.number_of(lab))["etcdPort"]
    whole = {"key": _encoded(b"/registry/"), "range_end": _encoded(b"/registry0")}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v3/watch", data=json.dumps({"create_request": whole}).encode()
    )
    with suppress(OSError), urllib.request.urlopen(request, timeout=_SILENCE_SECONDS) as answer:  # noqa: S310
        for line in answer:
            if is_over.is_set():
                return
            keys = [
                base64.b64decode(each["kv"]["key"]) for each in json.loads(line)["result"].get("events", [])
            ]
            # The first line only says that no change is missed from now on.
            if not keys or any(not key.startswith(_PULSES) for key in keys):
                changed.set()


def _encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()
