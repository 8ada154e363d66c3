"""One process runs a lab's stand-ins: ready when they are, and no longer than it is wanted."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from lab import processes
from lab.directory import REPOSITORY, LabDirectory
from lab.errors import LabError
from lab.processes import StandIn

HANGS_SECONDS = 60
TOY = StandIn("toy", "tests.lab.supervisor.toy", is_program=True, variables={"PYTHONPATH": str(REPOSITORY)})


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[LabDirectory]:
    # As long as those of test processes; the address of a socket has 107 characters.
    directory = LabDirectory(tmp_path / ("a-long-name-" * 10))
    directory.create()
    yield directory
    processes.end(directory)


def test_a_stand_in_has_started_when_it_says_that_it_is_ready(lab: LabDirectory) -> None:
    assert processes.start(lab, TOY)
    assert (lab.root / "toy").exists()
    assert not processes.start(lab, TOY)


def test_a_stand_in_that_ends_before_it_is_ready_is_told_with_its_log(lab: LabDirectory) -> None:
    with pytest.raises(LabError, match=r"kubelet ended at once: exit code 2; see .*kubelet\.log"):
        processes.start(lab, processes.KUBELET)
    assert "required: --runtime-python" in (lab.processes / "kubelet.log").read_text(encoding="utf-8")
    assert processes.find(lab, processes.KUBELET) is None


def test_a_killed_stand_in_comes_back_and_the_log_says_why(lab: LabDirectory) -> None:
    processes.start(lab, TOY)
    found = processes.find(lab, TOY)
    assert found
    assert found.pid
    psutil.Process(found.pid).kill()
    _until(lambda: (now := processes.find(lab, TOY)) is not None and now.restarts == 1 and now.pid)
    log = (lab.processes / "supervisor.log").read_text(encoding="utf-8")
    assert "toy has ended: exit code -9; it is started again in 1 s" in log


def test_one_is_stopped_by_name_and_the_last_takes_the_supervisor_along(lab: LabDirectory) -> None:
    other = replace(TOY, name="other")
    for each in (TOY, other):
        processes.start(lab, each)
    processes.stop(lab, TOY)
    assert processes.find(lab, TOY) is None
    assert processes.find(lab, other) is not None
    processes.stop(lab, other)
    assert not (lab.processes / "supervisor").exists()
    assert processes.start(lab, TOY)


@pytest.mark.parametrize("outlive", [False, True])
def test_it_ends_with_its_parent_or_with_the_labs_folder(lab: LabDirectory, outlive: bool) -> None:
    """Its stand-ins end with it."""
    program = f"""
import json, os, pathlib
from lab import processes
from lab.directory import LabDirectory
lab = LabDirectory(pathlib.Path({str(lab.root)!r}))
processes.supervise(lab, outlive={outlive})
stand_in = processes.StandIn(
    "toy", {TOY.module!r}, is_program=True, variables={dict(TOY.variables)!r}
)
processes.start(lab, stand_in)
print(json.dumps(processes.find(lab, stand_in).pid), flush=True)
os.kill(os.getpid(), 9)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    child = psutil.Process(json.loads(answer.stdout))
    if outlive:
        assert processes.find(lab, TOY) is not None
        lab.processes.rename(lab.root / "gone")
    child.wait(HANGS_SECONDS)


def _until(holds: Callable[[], object]) -> None:
    for _ in range(HANGS_SECONDS * 10):
        if holds():
            return
        asyncio.run(asyncio.sleep(0.1))
    raise AssertionError(f"not within {HANGS_SECONDS} s")
