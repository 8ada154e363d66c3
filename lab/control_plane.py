"""The simulated cluster's control plane: real etcd, API server, controllers, scheduler, and kwok.

kwokctl starts and stops them as processes on the loopback interface; this module decides their
settings and finds out whether they are there, dead or half started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import yaml

from lab import slots
from lab.environment import CONTEXT
from lab.errors import LabError
from lab.interruption import held
from lab.kubeconfig import refuse_foreign_endpoint
from lab.tool import run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lab.directory import LabDirectory
    from lab.slots import Slot

SILENT = "kwok.x-k8s.io/status=custom"
"""Annotation of nodes and pods whose kubelet says nothing any more (tests/support/faults/nodes.py)."""

_CLUSTER = "lab"
_KUBECTL_ACCESS = ("PortForward", "Logs", "Exec")
"""By objects of these kinds the lab's kubelet lets kubectl reach the processes of a pod."""
_START_SECONDS = 120
_STOP_SECONDS = 20
_WAITS = "the control plane is finished first, which takes seconds"
_COMPONENT_BINARIES = {
    "kube-apiserver": "kube-apiserver",
    "kube-controller-manager": "kube-controller-manager",
    "kube-scheduler": "kube-scheduler",
    "etcd": "etcd",
    "kwok-controller": "kwok",
}


def is_running(lab: LabDirectory) -> bool:
    """Whether this lab's API server and its store run; on a busy machine they may be slow to answer."""
    if not lab.kubeconfig.exists():
        return False
    refuse_foreign_endpoint(lab.kubeconfig, CONTEXT)
    return all(component(lab, name) for name in ("etcd", "kube-apiserver"))


def exists(lab: LabDirectory) -> bool:
    """Whether there is a control plane on disk, running or not."""
    return (lab.kwok / "clusters" / _CLUSTER / "kwok.yaml").exists()


def start(lab: LabDirectory, *, kubectl_access: bool = False) -> str:
    """Makes the control plane run and returns what was done: "running", "restarted" or "created".

    With `kubectl_access` a new one serves the kinds by which kubectl reaches the processes of pods.

    A stopped one (after a reboot, or a kill) is started again on its own etcd data, so that the
    stack's state and the cluster stay in agreement. Raises LabError when it does not come up.
    """
    if is_running(lab):
        start_what_ended(lab)
        return "running"
    if exists(lab) and not lab.kubeconfig.exists():
        # Its creation was not finished, and nothing holds anything yet.
        stop_and_delete(lab)
    done = "restarted" if exists(lab) else "created"
    with held(_WAITS):
        if done == "restarted":
            slots.number_of(lab)
            # What still runs of it holds the slot.
            _kwokctl(lab, "stop", "cluster", check=False)
        with slots.taken(lab) as slot:
            if done == "restarted":
                _kwokctl(lab, "start", "cluster", "--wait", f"{_START_SECONDS}s", slot=slot)
            else:
                _create(lab, slot, _KUBECTL_ACCESS if kubectl_access else ())
        start_what_ended(lab)
    return done


def stop_and_delete(lab: LabDirectory) -> None:
    """Ends every process of the control plane and deletes its data. Fine when there is none."""
    with held(_WAITS):
        if (lab.kwok / "clusters" / _CLUSTER).exists():
            _kwokctl(lab, "delete", "cluster", "--kubeconfig", str(lab.kubeconfig))
        shutil.rmtree(lab.kwok / "clusters", ignore_errors=True)
        lab.kubeconfig.unlink(missing_ok=True)
        slots.give_back(lab)


def component_files(lab: LabDirectory) -> Path:
    """The folder with `pids/<component>.pid` and `logs/<component>.log` of each process."""
    return lab.kwok / "clusters" / _CLUSTER


def component(lab: LabDirectory, name: str) -> psutil.Process | None:
    """The component's process; a pid that now belongs to anything else is not taken for it."""
    files = component_files(lab)
    with suppress(OSError, ValueError, psutil.Error):
        process = psutil.Process(int((files / "pids" / f"{name}.pid").read_text()))
        of_this_lab = any(str(files) in word for word in process.cmdline())
        if of_this_lab and process.status() != psutil.STATUS_ZOMBIE:
            return process
    return None


def kill(lab: LabDirectory, names: Iterable[str] = tuple(_COMPONENT_BINARIES)) -> None:
    """Ends what runs of these components at once, and returns when they have ended; their data stays."""
    processes = [process for name in names if (process := component(lab, name))]
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=_STOP_SECONDS)


def start_what_ended(lab: LabDirectory) -> None:
    """Does what a kubelet does for the static pods of a control plane.

    Controllers and scheduler end where the API server is not healthy 20 s after their start, as on a busy
    machine. Returns when the API server says that it is ready. Raises LabError where it does not.
    """
    deadline = time.monotonic() + _START_SECONDS
    ready = ("kubectl", "get", "--raw", "/readyz", "--request-timeout=5s")
    # Last whether all run: one may end while the API server is waited for.
    while run(lab, *ready, check=False).returncode or not all(
        component(lab, name) for name in _COMPONENT_BINARIES
    ):
        if time.monotonic() > deadline:
            logs = os.path.relpath(component_files(lab) / "logs")
            raise LabError(
                f"the cluster did not come up within {_START_SECONDS} s; its logs are in {logs}\n"
                "`make lab-down` removes it, `make lab-up` then starts from nothing"
            )
        for name in [each for each in _COMPONENT_BINARIES if not component(lab, each)]:
            # kwokctl would take whatever has its number for the process, be it a zombie.
            (component_files(lab) / "pids" / f"{name}.pid").unlink(missing_ok=True)
        _kwokctl(lab, "start", "cluster", "--wait", f"{_START_SECONDS}s")


def service_range(lab: LabDirectory) -> str:
    """The range of the cluster's Service addresses: a loopback range of this lab's own.

    The API server calls admission webhooks at their Service's address. In a usual range that call
    would leave the machine; in a loopback range it is refused at once unless a stand-in listens
    there, which is what kube-proxy would route to. Each lab has its own range (lab/slots.py), or two labs
    would hand out the same address.
    """
    # The upper half of the slot's addresses is for pods (lab/kubelet/network.py).
    return slots.network(slots.number_of(lab)).replace("/16", "/17")


def _arguments(lab: LabDirectory) -> dict[str, dict[str, str]]:
    """What each component is told beside what kwokctl tells it."""
    services = {"service-cluster-ip-range": service_range(lab)}
    # Each is the only one of its kind. With an election it would end as soon as it could not renew its lease,
    # on a busy machine or while the API server is away, and nothing starts it again.
    alone = {"leader-elect": "false"}
    return {
        # A lab that loses its machine starts anew; writes need not wait for the disk.
        "etcd": {"unsafe-no-fsync": "true"},
        "kube-apiserver": services,
        "kube-controller-manager": services | alone,
        "kube-scheduler": alone,
        # kwok speaks for every kubelet, but not for what bears this annotation: its machine is off.
        "kwok-controller": {"disregard-status-with-annotation-selector": SILENT},
    }


def _create(lab: LabDirectory, slot: Slot, kinds: tuple[str, ...]) -> None:
    configuration = {
        "kind": "KwokctlConfiguration",
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        # Without it every component listens on all of the machine's interfaces.
        "options": {"bindAddress": "127.0.0.1", "enableCRDs": [*kinds], **slots.ports(slot.number)},
        "componentsPatches": [
            {"name": name, "extraArgs": [{"key": key, "value": value} for key, value in arguments.items()]}
            for name, arguments in _arguments(lab).items()
        ],
    }
    file = lab.kwok / "lab.yaml"
    file.write_text(yaml.safe_dump(configuration))
    binaries = [
        f"--{component}-binary={lab.bin / binary}" for component, binary in _COMPONENT_BINARIES.items()
    ]
    # Nobody finds a kubeconfig of a cluster that is only half made.
    kubeconfig = lab.kwok / "kubeconfig"
    kubeconfig.unlink(missing_ok=True)
    made = ("--config", str(file), "--runtime", "binary", "--kubeconfig", str(kubeconfig))
    _kwokctl(lab, "create", "cluster", *made, "--wait", f"{_START_SECONDS}s", *binaries, slot=slot)
    where = ("--kubeconfig", str(kubeconfig))
    run(lab, "kubectl", *where, "config", "rename-context", f"kwok-{_CLUSTER}", CONTEXT)
    kubeconfig.chmod(0o600)
    kubeconfig.rename(lab.kubeconfig)


def _kwokctl(lab: LabDirectory, *arguments: str, check: bool = True, slot: Slot | None = None) -> None:
    """Run kwokctl; what it starts holds the lab's slot."""
    command = ("kwokctl", *arguments, "--name", _CLUSTER)
    try:
        run(
            lab,
            *command,
            check=check,
            timeout=_START_SECONDS + 30,
            pass_fds=() if slot is None else (slot.descriptor,),
            # Ctrl-C in the terminal would end kwokctl between two of its processes.
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise LabError(f"`{' '.join(command[:3])}` did not end within {_START_SECONDS + 30} s") from None
