"""The simulated cluster's control plane: real etcd, API server, controllers, scheduler, and kwok.

kwokctl starts and stops them as processes on the loopback interface; this module decides their
settings and finds out whether they are there, dead or half started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import yaml

from lab.environment import CONTEXT, sealed_environment
from lab.errors import LabError
from lab.interruption import held
from lab.kubeconfig import refuse_foreign_endpoint
from lab.locks import locked, machine_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.directory import LabDirectory

SILENT = "kwok.x-k8s.io/status=custom"
"""Annotation of nodes and pods whose kubelet says nothing any more (lab/faults/nodes.py)."""

_CLUSTER = "lab"
_KUBECTL_ACCESS = ("PortForward", "Logs", "Exec")
"""By objects of these kinds the lab's kubelet lets kubectl reach the processes of a pod."""
_START_SECONDS = 120
_WAITS = "the control plane is finished first, which takes seconds"
_COMPONENT_BINARIES = {
    "kube-apiserver": "kube-apiserver",
    "kube-controller-manager": "kube-controller-manager",
    "kube-scheduler": "kube-scheduler",
    "etcd": "etcd",
    "kwok-controller": "kwok",
}


def is_answering(lab: LabDirectory) -> bool:
    """Whether this lab's API server says that it is ready."""
    if not lab.kubeconfig.exists():
        return False
    refuse_foreign_endpoint(lab.kubeconfig, CONTEXT)
    answer = _run(lab, "kubectl", "get", "--raw", "/readyz", "--request-timeout=5s", check=False)
    return answer.returncode == 0 and answer.stdout.strip() == "ok"


def exists(lab: LabDirectory) -> bool:
    """Whether there is a control plane on disk, running or not."""
    return (lab.kwok / "clusters" / _CLUSTER / "kwok.yaml").exists()


def start(lab: LabDirectory, *, kubectl_access: bool = False) -> str:
    """Makes the control plane run and returns what was done: "running", "restarted" or "created".

    With `kubectl_access` a new one serves the kinds by which kubectl reaches the processes of pods.

    A stopped one (after a reboot, or a kill) is started again on its own etcd data, so that the
    stack's state and the cluster stay in agreement. Raises LabError when it does not come up.
    """
    if is_answering(lab):
        return "running"
    if exists(lab):
        with no_new_ports(), held(_WAITS):
            _run(lab, "kwokctl", "stop", "cluster", "--name", _CLUSTER, check=False)
            _run(lab, "kwokctl", "start", "cluster", "--name", _CLUSTER, "--wait", f"{_START_SECONDS}s")
            _expect_answer(lab)
        return "restarted"
    with no_new_ports(), held(_WAITS):
        _create(lab, _KUBECTL_ACCESS if kubectl_access else ())
        _expect_answer(lab)
    return "created"


@contextmanager
def no_new_ports() -> Iterator[None]:
    """Holds back every other control plane of this machine that is about to choose its ports.

    kwokctl takes the first ports that are free and binds them only later. Two labs that start together would
    be given the same ones, and a component of one of them would end without a word; so would a component that
    is down for a moment.
    """
    with locked(machine_lock("ports")):
        yield


def stop_and_delete(lab: LabDirectory) -> None:
    """Ends every process of the control plane and deletes its data. Fine when there is none."""
    with held(_WAITS):
        if (lab.kwok / "clusters" / _CLUSTER).exists():
            _run(lab, "kwokctl", "delete", "cluster", "--name", _CLUSTER, "--kubeconfig", str(lab.kubeconfig))
        shutil.rmtree(lab.kwok / "clusters", ignore_errors=True)
        lab.kubeconfig.unlink(missing_ok=True)


def component_files(lab: LabDirectory) -> Path:
    """The folder with `pids/<component>.pid` and `logs/<component>.log` of each process."""
    return lab.kwok / "clusters" / _CLUSTER


def service_range(lab: LabDirectory) -> str:
    """The range of the cluster's Service addresses: a loopback range of this lab's own.

    The API server calls admission webhooks at their Service's address. In a usual range that call
    would leave the machine; in a loopback range it is refused at once unless a stand-in listens
    there, which is what kube-proxy would route to. Each lab has its own range, or two labs would
    hand out the same address.
    """
    # 127.1-127.63 are left to whatever else runs on the machine.
    second = 64 + zlib.crc32(str(lab.root).encode()) % 191
    # The upper half is for pods (lab/kubelet/network.py).
    return f"127.{second}.0.0/17"


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


def _create(lab: LabDirectory, kinds: tuple[str, ...]) -> None:
    lab.kubeconfig.unlink(missing_ok=True)
    configuration = {
        "kind": "KwokctlConfiguration",
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        # Without it every component listens on all of the machine's interfaces.
        "options": {"bindAddress": "127.0.0.1", "enableCRDs": [*kinds]},
        "componentsPatches": [
            {"name": name, "extraArgs": [{"key": key, "value": value} for key, value in arguments.items()]}
            for name, arguments in _arguments(lab).items()
        ],
    }
    file = lab.kwok / "lab.yaml"
    file.write_text(yaml.safe_dump(configuration))
    command = ["kwokctl", "create", "cluster", "--name", _CLUSTER, "--config", str(file)]
    command += ["--runtime", "binary", "--kubeconfig", str(lab.kubeconfig), "--wait", f"{_START_SECONDS}s"]
    for component, binary in _COMPONENT_BINARIES.items():
        command += [f"--{component}-binary", str(lab.bin / binary)]
    _run(lab, *command)
    _run(lab, "kubectl", "config", "rename-context", f"kwok-{_CLUSTER}", CONTEXT)
    lab.kubeconfig.chmod(0o600)


def _expect_answer(lab: LabDirectory) -> None:
    if is_answering(lab):
        return
    logs = lab.kwok / "clusters" / _CLUSTER / "logs"
    raise LabError(
        f"the cluster did not come up within {_START_SECONDS} s; its logs are in {os.path.relpath(logs)}\n"
        "`make lab-down` removes it, `make lab-up` then starts from nothing"
    )


def _run(lab: LabDirectory, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    try:
        answer = subprocess.run(
            [str(lab.bin / command[0]), *command[1:]],
            env=sealed_environment(lab),
            capture_output=True,
            text=True,
            check=False,
            timeout=_START_SECONDS + 30,
            # Ctrl-C in the terminal would end kwokctl between two of its processes.
            start_new_session=command[0] == "kwokctl",
        )
    except subprocess.TimeoutExpired:
        raise LabError(f"`{' '.join(command[:3])}` did not end within {_START_SECONDS + 30} s") from None
    if check and answer.returncode != 0:
        said = (answer.stderr or answer.stdout).strip()
        raise LabError(f"`{' '.join(command[:3])}` failed (exit {answer.returncode}):\n{said}")
    return answer
