"""Ends a run whose waits cannot end well, instead of letting them use up their time.

The provider's waits know Ready and their deadline, and a program has no way to end one. A person has Ctrl-C:
the engine passes it on, each wait ends where it is, and the state keeps what was made (pulumi/pulumi
pkg/resource/deploy/deployment_executor.go, SignalCancellation; pulumi-kubernetes 4.32, provider.go, Cancel).
"""

import contextvars
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from components.cluster_answer import KubernetesObject
from components.cluster_reader import ClusterReader
from failures.claims import ended_claims
from failures.deletion import ended_by_deletion, is_being_deleted
from failures.engine_process import engine_pid
from failures.explanation import Subject
from failures.failed_operation import ended_early, subject_of
from failures.pods_and_events import POD_LABELS, claim_names, container_statuses, find_pods

# A Helm release that is cut off half way costs more than a wait.
WATCHED = (frozenset(POD_LABELS) - {"Release"}) | {"PersistentVolumeClaim"}
"""Kinds whose wait can have such a cause."""
_PULLS = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}
# Registries answer so by way of containerd (core/remotes/docker/resolver.go, core/remotes/errors) where
# there is no such image. A refused login and a registry that is away can pass, and say something else.
_NO_IMAGE = re.compile(
    r"code = NotFound|: not found|manifest unknown|name unknown|no match for platform|couldn't parse image",
    re.IGNORECASE,
)
Pods = frozenset[str | None]
"""Uids of pods."""
_LOOK_SECONDS = 10.0
# The kubelet asks a registry again after at most five minutes (k8s.io/kubernetes pkg/kubelet,
# MaxContainerBackOff): what a pod of before says of its image may be that old.
_OLD_WORDS_SECONDS = 330.0


def pods_of(cluster: ClusterReader, subject: Subject) -> list[KubernetesObject]:
    """Return the pods that the object is waited for with; none where it has none, or nobody can tell."""
    if subject.kind not in POD_LABELS or subject.namespace is None:
        return []
    _, found = find_pods(cluster, subject)
    return [pod for pod in found.items if not is_being_deleted(pod)]


def causes(
    cluster: ClusterReader,
    subject: Subject,
    pods: Sequence[KubernetesObject],
    said_before: Pods = frozenset(),
) -> list[str]:
    """Return why the object never becomes what is waited for; empty while it may, or nobody can tell.

    What the pods in `said_before` say of their images may be older than the wait.
    """
    if subject.kind not in WATCHED:
        return []
    if reasons := ended_by_deletion(cluster, subject):
        return reasons
    if subject.kind not in POD_LABELS:
        return ended_claims(cluster, subject, [subject.name])
    claims = {
        name: None for pod in pods if not pod.get("spec", {}).get("nodeName") for name in claim_names(pod)
    }
    new = [pod for pod in pods if pod["metadata"].get("uid") not in said_before]
    return [*ended_claims(cluster, subject, list(claims)), *_absent_images(new)]


@dataclass(slots=True)
class _Wait:
    subject: Subject
    since: float
    before: Pods | None = None
    """Pods that were there at the first look."""
    causes: list[str] = field(default_factory=list[str])
    """The causes that the last look found."""


class Waits:
    """The operations of this run that are under way."""

    def __init__(
        self,
        reader: Callable[[], ClusterReader],
        say: Callable[[str], None],
        end: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to look with the first wait; `end` ends the run, and says whether it could."""
        self._reader, self._say, self._end, self._clock = reader, say, end, clock
        # The SDK keeps in it where the engine is.
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._waits: dict[str, _Wait] = {}
        self._others: set[str] = set()
        self._thread: threading.Thread | None = None
        self._over = False

    def begun(self, urn: str, kind: str, inputs: Mapping[str, Any]) -> None:
        """Note a create or an update that the engine begins."""
        with self._lock:
            if kind not in WATCHED:
                self._others.add(urn)
                return
            self._waits[urn] = _Wait(subject_of(kind, inputs), self._clock())
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
            self._say(ended_early(self._reader(), wait.subject, wait.causes))
        if not self._end():
            self._say("This wait cannot end well; Ctrl-C ends it, and nothing is lost.")

    def _is_doomed(self, wait: _Wait) -> bool:
        reader, subject = self._reader(), wait.subject
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


def _absent_images(pods: Sequence[KubernetesObject]) -> list[str]:
    found: list[str] = []
    for container in (each for pod in pods for each in container_statuses(pod)):
        waiting = (container.get("state") or {}).get("waiting") or {}
        said = " ".join(str(waiting.get("message", "")).split())
        if waiting.get("reason") in _PULLS and _NO_IMAGE.search(said):
            found.append(f"image {container.get('image')} does not exist: {waiting['reason']}, {said}")
    return list(dict.fromkeys(found))
