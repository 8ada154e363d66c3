"""A slot: the loopback addresses and the ports that one lab has to itself on this machine.

A lab holds its slot by the lock of a file, which each process of its control plane inherits: the slot is free
again as soon as the last of them has ended, however it ended.
"""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab import locks
from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.directory import LabDirectory

# 127.1 to 127.63 are left to other programs of the machine.
_FIRST_RANGE = 64
_SLOTS = 190
# Below the ports that Linux gives to outgoing connections (net.ipv4.ip_local_port_range, from 32768).
_FIRST_PORT = 21_000
_LISTENERS = (
    *("etcdPort", "etcdPeerPort", "kubeApiserverPort"),
    *("kubeControllerManagerPort", "kubeSchedulerPort", "kwokControllerPort"),
)


@dataclass(frozen=True)
class Slot:
    """One of the machine's slots."""

    number: int
    descriptor: int
    """The open lock file, for processes to inherit."""


@contextmanager
def taken(lab: LabDirectory) -> Iterator[Slot]:
    """Hold the lab's slot: the one that its folder names, or else a free one, which the folder then names.

    Raises:
        LabError: if another lab has the slot that the folder names, or if none is free.

    """
    file = _claim(lab.root)
    slot = _take(number_of(lab)) if file.exists() else first_free(lab.root)
    if slot is None:
        raise LabError(
            f"another lab runs on the addresses of this one (slot {number_of(lab)})\n"
            "`make lab-down` removes this one, `make lab-up` then makes it anew on others"
        )
    file.write_text(str(slot.number), encoding="utf-8")
    try:
        yield slot
    finally:
        os.close(slot.descriptor)


def first_free(root: Path | None = None) -> Slot:
    """Take a slot that no lab has and whose ports no other program has.

    A lab that has stopped keeps its slot as long as its folder is there and another is free.

    Args:
        root: the folder of the lab that the slot is for; None for a process that is no lab.

    Raises:
        LabError: if there is none.

    """
    for claims_count in (True, False):
        for number in range(_SLOTS):
            # A slot that is claimed is not taken to look at it: its lab may start again at that very moment.
            slot = None if claims_count and _is_claimed(number) else _take(number)
            if slot is None:
                continue
            if all(_can_listen(port) for port in ports(slot.number).values()):
                os.truncate(slot.descriptor, 0)
                os.pwrite(slot.descriptor, os.fsencode(root or ""), 0)
                return slot
            os.close(slot.descriptor)
    raise LabError(f"all {_SLOTS} slots of this machine are taken; end a lab that is not needed")


def network(number: int) -> str:
    """Return the loopback range of this slot alone, a /16."""
    return f"127.{_FIRST_RANGE + number}.0.0/16"


def ports(number: int) -> dict[str, int]:
    """Return the port of each component of a control plane, by the name that kwokctl gives it."""
    first = _FIRST_PORT + number * len(_LISTENERS)
    return {name: first + index for index, name in enumerate(_LISTENERS)}


def give_back(lab: LabDirectory) -> None:
    """Forget the lab's slot, once nothing of the lab runs."""
    _claim(lab.root).unlink(missing_ok=True)


def number_of(lab: LabDirectory) -> int:
    """Return the number of the lab's slot.

    Raises:
        LabError: if the lab has none.

    """
    try:
        return int(_claim(lab.root).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LabError(
            f"the lab in {lab.root} has no slot: another version of this repository made it\n"
            "`make lab-down` removes it, `make lab-up` then starts from nothing"
        ) from None


def _claim(root: Path) -> Path:
    return root / "slot"


def _is_claimed(number: int) -> bool:
    """Whether the lab that had the slot last has not gone."""
    with suppress(OSError):
        root = os.fsdecode(_lock(number).read_bytes())
        return bool(root) and _claim(Path(root)).read_text(encoding="utf-8") == str(number)
    return False


def _take(number: int) -> Slot | None:
    descriptor = locks.taken(_lock(number))
    return None if descriptor is None else Slot(number, descriptor)


def _lock(number: int) -> Path:
    return locks.of_all_labs("slots") / str(number)


def _can_listen(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
