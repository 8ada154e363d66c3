"""The cluster's API server ends, and comes back on its own data."""

from __future__ import annotations

import datetime as dt
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from lab import control_plane
from lab.environment import sealed_environment
from lab.errors import LabError
from lab.faults.kubectl import kubectl

if TYPE_CHECKING:
    from lab.directory import LabDirectory

_API_SERVER = "kube-apiserver"
# They end when they cannot renew their leader's lease; on a real cluster the kubelet starts them again.
_LEADERS = ("kube-controller-manager", "kube-scheduler")
_CLIENTS = (*_LEADERS, "kwok-controller")
_STOP_SECONDS = 20
_START_SECONDS = 60.0
_PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class _Component:
    name: str
    command: list[str]


def restart(lab: LabDirectory, down_seconds: float) -> None:
    """Kills the API server, waits, starts it as it ran before, and returns when it answers.

    Raises LabError where it does not run, or does not come back.
    """
    # A lab that starts meanwhile would take a free port for its own: the server's, or that of a client which
    # ended too. Whichever of the two labs binds it last never comes up.
    with control_plane.no_new_ports():
        # Read before the server ends: a client that is still starting ends with it at once.
        clients = [_component(lab, name) for name in _CLIENTS]
        server = _stopped(lab, _API_SERVER)
        time.sleep(down_seconds)
        _start(lab, server)
        started = dt.datetime.now(dt.UTC)
        _await_answer(lab)
        for client in clients:
            if client.name in _LEADERS:
                _await_leader(lab, client, started)
            elif _running(lab, client.name) is None:
                _start(lab, client)
            _await_port(lab, client.name)


def _await_answer(lab: LabDirectory) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not control_plane.is_answering(lab):
        if time.monotonic() > deadline:
            raise LabError(f"the API server did not answer within {_START_SECONDS:.0f} s of its restart")
        time.sleep(_PAUSE_SECONDS)


def _await_leader(lab: LabDirectory, component: _Component, since: dt.datetime) -> None:
    """Returns when the component leads again, started anew where it has ended.

    One that still runs may be about to end: whether it has given up shows in its lease alone.
    """
    deadline = time.monotonic() + _START_SECONDS
    while not _leads_since(lab, component.name, since):
        if _running(lab, component.name) is None:
            _start(lab, component)
        if time.monotonic() > deadline:
            raise LabError(f"{component.name} did not lead within {_START_SECONDS:.0f} s of the restart")
        time.sleep(_PAUSE_SECONDS)


def _leads_since(lab: LabDirectory, name: str, since: dt.datetime) -> bool:
    command = ("get", "lease", name, "-n", "kube-system", "-o", "jsonpath={.spec.renewTime}")
    with suppress(LabError, ValueError):
        return _running(lab, name) is not None and dt.datetime.fromisoformat(kubectl(lab, *command)) > since
    return False


def _await_port(lab: LabDirectory, name: str) -> None:
    """Returns when the component listens; where it has ended meanwhile there is nothing to wait for."""
    deadline = time.monotonic() + _START_SECONDS
    while (process := _running(lab, name)) is not None:
        if any(each.status == psutil.CONN_LISTEN for each in process.net_connections("tcp")):
            return
        if time.monotonic() > deadline:
            raise LabError(f"{name} did not listen within {_START_SECONDS:.0f} s of its restart")
        time.sleep(_PAUSE_SECONDS)


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
