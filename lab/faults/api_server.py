"""The cluster's API server ends, and comes back on its own data."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from lab import control_plane
from lab.environment import sealed_environment
from lab.errors import LabError

if TYPE_CHECKING:
    from lab.directory import LabDirectory

_API_SERVER = "kube-apiserver"
_LEADERS = ("kube-controller-manager", "kube-scheduler")
_STOP_SECONDS = 20
_START_SECONDS = 60.0
_PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class _Component:
    name: str
    command: list[str]


def restart(lab: LabDirectory, down_seconds: float) -> None:
    """Kills the API server, waits, starts it as it ran before, and returns when it answers.

    Controllers and scheduler end and start with it, as on a machine whose kubelet starts them again when they
    have lost their lease. Left alone, each of their watches would wait for a minute before its next try.

    Raises LabError where one of them does not run, or does not come back.
    """
    # A lab that starts meanwhile would take a free port, and one of the two would never come up.
    with control_plane.no_new_ports():
        server, *leaders = [_stopped(lab, name) for name in (_API_SERVER, *_LEADERS)]
        time.sleep(down_seconds)
        _start(lab, server)
        _await_answer(lab)
        for leader in leaders:
            _start(lab, leader)
            _await_port(lab, leader.name)


def _await_answer(lab: LabDirectory) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not control_plane.is_answering(lab):
        if time.monotonic() > deadline:
            raise LabError(f"the API server did not answer within {_START_SECONDS:.0f} s of its restart")
        time.sleep(_PAUSE_SECONDS)


def _await_port(lab: LabDirectory, name: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _listens(lab, name):
        if time.monotonic() > deadline:
            raise LabError(f"{name} did not listen within {_START_SECONDS:.0f} s of its restart")
        time.sleep(_PAUSE_SECONDS)


def _listens(lab: LabDirectory, name: str) -> bool:
    process = _running(lab, name)
    connections = process.net_connections("tcp") if process else []
    return any(each.status == psutil.CONN_LISTEN for each in connections)


def _stopped(lab: LabDirectory, name: str) -> _Component:
    component = _component(lab, name)
    process = _running(lab, name)
    if process is not None:
        process.kill()
        process.wait(timeout=_STOP_SECONDS)
    return component


def _component(lab: LabDirectory, name: str) -> _Component:
    process = _running(lab, name)
    if process is None:
        raise LabError(f"{name} of this lab does not run")
    return _Component(name, process.cmdline())


def _running(lab: LabDirectory, name: str) -> psutil.Process | None:
    """The component's process; a pid that now belongs to anything else is not taken for it."""
    files = control_plane.component_files(lab)
    with suppress(OSError, ValueError, psutil.Error):
        process = psutil.Process(int((files / "pids" / f"{name}.pid").read_text()))
        of_this_lab = any(str(files) in word for word in process.cmdline())
        if of_this_lab and process.status() != psutil.STATUS_ZOMBIE:
            return process
    return None


def _start(lab: LabDirectory, component: _Component) -> None:
    files = control_plane.component_files(lab)
    with (files / "logs" / f"{component.name}.log").open("ab") as log:
        process = subprocess.Popen(
            component.command,
            cwd=files,
            env=sealed_environment(lab),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (files / "pids" / f"{component.name}.pid").write_text(str(process.pid))
