"""Reads the sockets of the lab's processes off this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil

from tests.serving.pod_connections import Dial, Socket, dials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAPPED = "::ffff:"


class SampledSockets:
    """Collects what the pods' processes dial, one look at a time.

    Args:
        pods: the kubelet's folder of pods, in which every process of a pod works.

    """

    def __init__(self, pods: Path) -> None:
        self.dials: set[Dial] = set()
        """Everything until now."""
        self._pods = pods

    def look(self) -> None:
        """Add what is open now."""
        self.dials |= dials(self._sockets())

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
