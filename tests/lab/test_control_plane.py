"""The simulated control plane: several at once, and one that died."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from lab import cluster, control_plane
from lab.directory import LabDirectory
from tests.support.running import running_in
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab


@pytest.fixture
def two_labs(tmp_path: Path) -> Iterator[list[LabDirectory]]:
    labs = [Sandbox.at(tmp_path / name).directory for name in ("left", "right")]
    for lab in labs:
        cluster.prepare(lab, say=print)
    yield labs
    for lab in labs:
        cluster.down(lab)


def test_two_labs_that_start_in_the_same_moment_run_side_by_side_until_one_is_deleted(
    two_labs: list[LabDirectory],
) -> None:
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(control_plane.start, two_labs)) == ["created", "created"]
    for lab in two_labs:
        assert control_plane.is_running(lab)
        assert len(running_in(lab.kwok)) == 5
    left, right = two_labs
    control_plane.stop_and_delete(left)
    assert running_in(left.kwok) == []
    assert not control_plane.exists(left)
    assert control_plane.is_running(right)


def test_a_control_plane_that_was_killed_comes_back_with_what_it_held(two_labs: list[LabDirectory]) -> None:
    lab = two_labs[0]
    control_plane.start(lab)
    sandbox = Sandbox.at(lab.root)
    sandbox.kubectl("create", "namespace", "kept")
    control_plane.kill(lab)
    assert not control_plane.is_running(lab)
    assert control_plane.start(lab) == "restarted"
    assert sandbox.get("namespace", "kept")["status"]["phase"] == "Active"


def test_what_is_slow_to_answer_is_waited_for_and_what_has_ended_is_started(
    two_labs: list[LabDirectory],
) -> None:
    lab, name = two_labs[0], "kube-controller-manager"
    control_plane.start(lab)
    [server] = [each for each in running_in(lab.kwok) if each.name() == "kube-apiserver"]
    server.suspend()
    # Longer than one look takes.
    threading.Timer(7, server.resume).start()
    assert control_plane.start(lab) == "running"
    control_plane.kill(lab, [name])
    # Its number is another process's by now.
    (control_plane.component_files(lab) / "pids" / f"{name}.pid").write_text(str(os.getpid()))
    assert control_plane.start(lab) == "running"
    assert control_plane.component(lab, name)


def test_a_test_process_that_is_killed_leaves_no_control_plane(two_labs: list[LabDirectory]) -> None:
    lab = two_labs[0]
    program = f"""
import os, pathlib
from lab import control_plane, processes
from lab.directory import LabDirectory
lab = LabDirectory(pathlib.Path({str(lab.root)!r}))
control_plane.start(lab)
processes.supervise(lab)
os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -signal.SIGKILL
    _, alive = psutil.wait_procs(running_in(lab.kwok), timeout=30)
    assert alive == []
