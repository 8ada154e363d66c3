"""The language host's stand-in on toy programs, through the real pulumi CLI."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.support.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine


def _project(folder: Path, program: str, runtime: str = "python") -> Path:
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(f"name: {folder.name}\nruntime: {runtime}\n")
    (folder / "__main__.py").write_text(program)
    return folder


@pytest.mark.parametrize(
    ("name", "program", "runtime", "said"),
    [
        # Refused by the program: without a traceback.
        ("refuses", "import pulumi\nraise pulumi.RunError('too small')\n", "python", ["error: too small"]),
        # Its defect: with the line.
        ("breaks", "import pulumi\n\nboom = 1 / 0\n", "python", ["Traceback", "line 3", "ZeroDivisionError"]),
        (
            "lacks",
            "",
            "{name: python, options: {toolchain: pip, virtualenv: nowhere}}",
            ["nowhere", "pulumi install"],
        ),
    ],
    ids=["refusal", "defect", "no virtualenv"],
)
def test_a_program_that_fails_says_why(
    engine: Sandbox, tmp_path: Path, name: str, program: str, runtime: str, said: list[str]
) -> None:
    project = _project(tmp_path / name, program, runtime)
    engine.pulumi("stack", "init", "toy", cwd=project)
    answer = engine.pulumi("preview", "--stack", "toy", cwd=project, check=False)
    assert answer.returncode != 0
    assert [each for each in said if each not in answer.stdout] == []
    assert ("Traceback" in answer.stdout + answer.stderr) is ("Traceback" in said)


def test_a_program_runs_with_the_interpreter_of_its_virtualenv_and_exports_what_it_computed(
    engine: Sandbox, tmp_path: Path
) -> None:
    project = _project(
        tmp_path / "virtualenv",
        "import pulumi, sys\npulumi.export('prefix', sys.prefix)\n",
        runtime="{name: python, options: {toolchain: pip, virtualenv: own}}",
    )
    venv.create(project / "own", with_pip=False)
    # The new environment borrows the installed packages: what counts here is whose interpreter runs.
    packages = next((project / "own").glob("lib/*/site-packages"))
    (packages / "borrowed.pth").write_text(next(path for path in sys.path if path.endswith("site-packages")))
    engine.pulumi("stack", "init", "toy", cwd=project)
    engine.pulumi("up", "--yes", "--stack", "toy", cwd=project)
    prefix = engine.pulumi("stack", "output", "prefix", "--stack", "toy", cwd=project).stdout.strip()
    assert prefix == str(project / "own")


def test_the_host_and_the_program_end_with_a_killed_engine(engine: Sandbox, tmp_path: Path) -> None:
    project = _project(tmp_path / "killed", "import time\nopen('started', 'w').close()\ntime.sleep(120)\n")
    engine.pulumi("stack", "init", "toy", cwd=project)
    pulumi = subprocess.Popen(
        [str(engine.directory.bin / "pulumi"), "preview", "--stack", "toy", "--non-interactive"],
        cwd=project,
        env=engine.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until((project / "started").exists, "the program's start", 30)
    descendants = psutil.Process(pulumi.pid).children(recursive=True)
    assert descendants
    os.kill(pulumi.pid, signal.SIGKILL)
    pulumi.wait()
    try:
        until(lambda: not any(_runs(each) for each in descendants), "their end", 30)
    finally:
        for process in filter(_runs, descendants):
            process.kill()


def _runs(process: psutil.Process) -> bool:
    try:
        # One that has ended stays as a zombie until its new parent, process 1, collects it.
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
