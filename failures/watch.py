"""Ends a run whose waits cannot end well, instead of letting them use up their time.

The provider's waits know Ready and their deadline, and a program has no way to end one. A person has Ctrl-C:
the engine passes it on, each wait ends where it is, and the state keeps what was made (pulumi/pulumi
pkg/resource/deploy/deployment_executor.go, SignalCancellation; pulumi-kubernetes 4.32, provider.go, Cancel).
"""

import contextvars
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from components.cluster_reader import ClusterReader
from failures.engine_process import engine_pid
from failures.explain import FailedOperation, ended_early
from failures.hopeless import WATCHED, Pods, causes, pods_of

_LOOK_SECONDS = 10.0
# The kubelet asks a registry again after at most five minutes (k8s.io/kubernetes pkg/kubelet,
# MaxContainerBackOff): what a pod of before says of its image may be that old.
_OLD_WORDS_SECONDS = 330.0


@dataclass(slots=True)
class _Wait:
    operation: FailedOperation
    since: float
    before: Pods | None = None
    """Pods that were there at the first look."""
    causes: list[str] = field(default_factory=list[str])
    """What the last look found."""


class Waits:
    """The operations of this run that are under way."""

    def __init__(
        self,
        reader: Callable[[], ClusterReader],
        say: Callable[[str], None],
        end: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what it needs; it begins to look with the first wait.

        Args:
            reader: the cluster, once it can be read.
            say: tells the person.
            end: ends the run; whether it could.
            clock: seconds.

        """
        self._reader, self._say, self._end, self._clock = reader, say, end, clock
        # The SDK keeps in it where the engine is.
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._waits: dict[str, _Wait] = {}
        self._others: set[str] = set()
        self._thread: threading.Thread | None = None
        self._over = False

    def begun(self, urn: str, operation: FailedOperation) -> None:
        """Note a create or an update that the engine begins."""
        with self._lock:
            if operation.kind not in WATCHED:
                # A Helm release or a cluster that is cut off half way costs more than a wait.
                self._others.add(urn)
                return
            self._waits[urn] = _Wait(operation, self._clock())
            if self._thread is None:
                run = self._context.run
                self._thread = threading.Thread(target=run, args=(self._watch,), daemon=True)
                self._thread.start()

    def ended(self, urn: str) -> None:
        """Note that it has ended."""
        with self._lock:
            self._waits.pop(urn, None)
            self._others.discard(urn)

    def look(self) -> None:
        """End the run when a wait has had the same cause twice, and nothing but waits is under way."""
        with self._lock:
            waits = dict(self._waits)
        doomed = [wait for wait in waits.values() if self._is_doomed(wait)]
        with self._lock:
            busy = self._others or self._waits.keys() - waits.keys()
        if not doomed or busy or self._over:
            return
        self._over = True
        for wait in doomed:
            self._say(ended_early(self._reader(), wait.operation, wait.causes))
        if not self._end():
            self._say("This wait cannot end well; Ctrl-C ends it, and nothing is lost.")

    def _is_doomed(self, wait: _Wait) -> bool:
        reader, subject = self._reader(), wait.operation.subject
        pods = pods_of(reader, subject)
        if wait.before is None:
            wait.before = frozenset(pod["metadata"].get("uid") for pod in pods)
        is_old = self._clock() - wait.since > _OLD_WORDS_SECONDS
        found = causes(reader, subject, pods, said_before=frozenset() if is_old else wait.before)
        repeated, wait.causes = bool(found) and found == wait.causes, found
        return repeated

    def _watch(self) -> None:
        while not self._over:
            # Whatever goes wrong here must not hide how the run itself goes.
            with suppress(Exception):
                self.look()
            time.sleep(_LOOK_SECONDS)


def end_run() -> bool:
    """Do what Ctrl-C does; False where the engine is not among this process's ancestors."""
    pid = engine_pid()
    if pid is None:
        return False
    os.kill(pid, signal.SIGINT)
    return True
