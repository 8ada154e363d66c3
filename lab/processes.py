"""The lab's long-running stand-in processes: start, find, stop."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import psutil

from lab.environment import CONTEXT, sealed_environment
from lab.errors import LabError
from lab.interruption import held

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lab.directory import LabDirectory

_STOP_SECONDS = 5
_SETTLE_SECONDS = 0.3


@dataclass(frozen=True)
class StandIn:
    """A stand-in that runs beside the cluster as `python -P -m <module>`."""

    name: str
    module: str
    needs_lab_directory: bool = False
    arguments: tuple[str, ...] = ()
    """Those of this lab alone."""


STAND_INS = (
    StandIn("dynamo-operator", "lab.dynamo_operator", needs_lab_directory=True),
    StandIn("volume-provisioner", "lab.volume_provisioner"),
    StandIn("dra-driver", "lab.dra_driver"),
)

# Only where pods are served: its arguments name the Python of the Dynamo runtime.
KUBELET = StandIn("kubelet", "lab.kubelet", needs_lab_directory=True)

# Only where a stack uses AWS: it takes seconds to start.
CLOUD = StandIn("aws", "lab.aws_provider.cloud", needs_lab_directory=True)
NODE_GROUPS = StandIn("node-groups", "lab.node_groups", needs_lab_directory=True)


def start(lab: LabDirectory, stand_in: StandIn, variables: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Starts the process unless it runs; returns whether it was started. Raises LabError if it dies.

    `variables` are added to the sealed environment.
    """
    if find(lab, stand_in) is not None:
        return False
    command = [sys.executable, "-P", "-m", stand_in.module]
    command += ["--kubeconfig", str(lab.kubeconfig), "--context", CONTEXT]
    if stand_in.needs_lab_directory:
        command += ["--lab-dir", str(lab.root)]
    command += stand_in.arguments
    # Without its number the process could not be found, and would run for ever.
    with held(), _log_file(lab, stand_in).open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=lab.root,
            env={**sealed_environment(lab), **variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Ctrl-C in the terminal that started the lab must not reach it.
            start_new_session=True,
        )
        _pid_file(lab, stand_in).write_text(str(process.pid))
    try:
        code = process.wait(timeout=_SETTLE_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    raise LabError(f"{stand_in.name} ended at once (exit {code}); see {_log_file(lab, stand_in)}")


def find(lab: LabDirectory, stand_in: StandIn) -> psutil.Process | None:
    """The running process, or None. A pid that now belongs to something else is not taken for it."""
    try:
        process = psutil.Process(int(_pid_file(lab, stand_in).read_text()))
        if stand_in.module in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
            return process
    except (OSError, ValueError, psutil.Error):
        return None
    return None


def stop(lab: LabDirectory, stand_in: StandIn) -> None:
    """Ends the process, by force after a few seconds. Fine when it does not run."""
    process = find(lab, stand_in)
    if process is not None:
        process.terminate()
        try:
            process.wait(timeout=_STOP_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(timeout=_STOP_SECONDS)
    _pid_file(lab, stand_in).unlink(missing_ok=True)


def _pid_file(lab: LabDirectory, stand_in: StandIn) -> Path:
    return lab.processes / f"{stand_in.name}.pid"


def _log_file(lab: LabDirectory, stand_in: StandIn) -> Path:
    return lab.processes / f"{stand_in.name}.log"
