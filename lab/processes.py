"""The lab's stand-ins: start, find, stop. One supervisor runs all of them (lab/supervisor)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lab.controller.process import READY
from lab.environment import sealed_environment
from lab.errors import LabError
from lab.interruption import held
from lab.supervisor.server import socket_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.directory import LabDirectory

_ANSWER_SECONDS = 120.0
_STOP_SECONDS = 20.0
# A supervisor that is tied to this process ends when this process lets go of its input.
_tied: dict[str, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True)
class StandIn:
    """A stand-in that runs beside the cluster."""

    name: str
    module: str
    """Its `work` runs in the supervisor's process, or it is a program of its own."""
    is_program: bool = False
    arguments: tuple[str, ...] = ()
    """Those of this lab alone."""
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """To be added to the sealed environment."""


@dataclass(frozen=True)
class Running:
    """A stand-in that is kept alive."""

    pid: int | None
    """None between its end and its next start."""
    restarts: int


# A program of its own: it must have one thread, and it forks.
FORK_SERVER = StandIn("fork-server", "lab.fork_server", is_program=True)

OPERATOR = StandIn("dynamo-operator", "lab.dynamo_operator.operator")
STAND_INS = (
    OPERATOR,
    StandIn("volumes", "lab.volumes"),
    StandIn("dra-driver", "lab.dra_driver.driver"),
)

# Only where pods are served: it starts processes of its own, and its arguments name the runtime's Python.
KUBELET = StandIn("kubelet", "lab.kubelet", is_program=True)

# Only where a stack uses AWS: it takes seconds to start.
CLOUD = StandIn("aws", "lab.aws_provider.cloud", is_program=True)
NODE_GROUPS = StandIn("node-groups", "lab.node_groups.membership")


def supervise(lab: LabDirectory, *, outlive: bool = False) -> None:
    """Starts the lab's supervisor unless there is one, and returns when it listens.

    It ends with this process, or with `outlive` with the lab's folder.
    """
    if _ask(lab, "state") is not None:
        return
    command = [sys.executable, "-P", "-m", "lab.supervisor", "--lab-dir", str(lab.root)]
    lab.create()
    with held(), (lab.processes / "supervisor.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, *(["--outlive"] if outlive else [])],
            cwd=lab.root,
            env=sealed_environment(lab),
            stdin=subprocess.DEVNULL if outlive else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            # Ctrl-C in the terminal that started the lab must not reach it.
            start_new_session=True,
        )
        if process.stdout is None or process.stdout.readline() != READY:
            raise LabError(f"the supervisor ended at once; see {lab.processes}/supervisor.log")
        process.stdout.close()
        _tied[str(lab.root)] = process


def start(lab: LabDirectory, stand_in: StandIn, *, wait: bool = True) -> bool:
    """Starts the stand-in unless it runs, and returns whether it was started.

    Returns when it is ready, without `wait` at once. Raises LabError if it ends before.
    """
    supervise(lab)
    answer = _ask(
        lab,
        "start",
        name=stand_in.name,
        module=stand_in.module,
        inside=not stand_in.is_program,
        arguments=stand_in.arguments,
        variables=dict(stand_in.variables),
        wait=wait,
    )
    if answer is None or "error" in answer:
        raise LabError(answer["error"] if answer else f"the supervisor ended; see {lab.processes}")
    return bool(answer["started"])


def find(lab: LabDirectory, stand_in: StandIn) -> Running | None:
    """The stand-in, or None where nobody keeps it alive."""
    answer = _ask(lab, "state", name=stand_in.name)
    return Running(answer["pid"], answer["restarts"]) if answer else None


def stop(lab: LabDirectory, stand_in: StandIn) -> None:
    """Ends the stand-in, by force after a few seconds. Fine when it does not run."""
    _ask(lab, "stop", name=stand_in.name)


def end(lab: LabDirectory) -> None:
    """Ends all stand-ins and their supervisor. Fine when there is none."""
    _ask(lab, "end")
    process = _tied.pop(str(lab.root), None)
    if process is not None:
        process.wait(timeout=_STOP_SECONDS)
        if process.stdin is not None:
            process.stdin.close()


def _ask(lab: LabDirectory, what: str, **details: Any) -> dict[str, Any] | None:
    """The supervisor's answer; None where there is no supervisor."""
    try:
        folder = os.open(lab.processes, os.O_PATH)
    except FileNotFoundError:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(_ANSWER_SECONDS)
            asking.connect(socket_path(folder))
            asking.sendall(json.dumps({"do": what, **details}).encode() + b"\n")
            return json.loads(asking.makefile().readline() or "null")
    except (FileNotFoundError, ConnectionError):
        return None
    finally:
        os.close(folder)
