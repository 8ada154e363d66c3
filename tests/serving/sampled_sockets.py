"""Reads the sockets of the lab's processes off this machine, often, while something else happens."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self

import psutil

from tests.serving.pod_connections import Dial, Socket, dials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAUSE_SECONDS = 0.05
_MAPPED = "::ffff:"


class SampledSockets:
    """Collects what the pods' processes dial from `with` to its end.

    Args:
        pods: the kubelet's folder of pods, in which every process of a pod works.

    """

    def __init__(self, pods: Path) -> None:
        self.looks = 0
        self._pods = pods
        self._found: set[Dial] = set()
        self._failure: Exception | None = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    @property
    def dials(self) -> set[Dial]:
        """Everything until now."""
        return set(self._found)

    def _work(self) -> None:
        try:
            while not self._end.wait(_PAUSE_SECONDS):
                self._found |= dials(self._sockets())
                self.looks += 1
        except Exception as error:
            self._failure = error

    def _sockets(self) -> Iterator[Socket]:
        owners: dict[int, str | None] = {}
        # Of all processes at once: for each of them the kernel's whole table would be read again.
        for each in psutil.net_connections("tcp"):
            if each.pid is None:
                continue
            if each.pid not in owners:
                owners[each.pid] = self._pod_of(each.pid)
            uid = owners[each.pid]
            if uid is not None and (each.raddr or each.status == psutil.CONN_LISTEN):
                yield Socket(uid, _address(each.laddr), _address(each.raddr) if each.raddr else None)

    def _pod_of(self, pid: int) -> str | None:
        """The uid of the pod whose process it is; None for other processes and for one that has ended."""
        try:
            folder = psutil.Process(pid).cwd()
        except psutil.Error:
            return None
        within = folder.removeprefix(f"{self._pods}/")
        return None if within == folder else within.partition("/")[0]


def _address(address: Any) -> tuple[str, int]:
    return address.ip.removeprefix(_MAPPED), address.port
