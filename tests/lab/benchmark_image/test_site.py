"""The programs of a benchmark's image in the lab, run as the Job's script runs them."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from lab.benchmark_image import SITE
from lab.toolchain.load_generator import LOAD_GENERATOR
from recipes.benchmark import AIPERF_VERSION, CONNECTIONS_PER_WORKER
from recipes.load import load_recipe

PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"
DEADLINE_SECONDS = 20


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder for PYTHONPATH that knows the pinned AIPerf, which prints how it was called."""
    name, _, version = LOAD_GENERATOR.requirement.partition("==")
    information = tmp_path / f"{name}-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "cli.py").write_text(
        "import os, sys\n"
        "def app():\n"
        "    print(*sys.argv[1:], os.environ.get('AIPERF_HTTP_CONNECTION_LIMIT', ''))\n"
    )
    return tmp_path


def run(machine: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": PATH, "PYTHONPATH": f"{SITE}:{machine}", **variables}
    # On one processor, so that what is asserted does not depend on the machine.
    pinned = ["taskset", "--cpu-list", "0", *words]
    return subprocess.run(pinned, env=environment, capture_output=True, text=True, check=False, timeout=60)


def install(machine: Path, *words: str) -> subprocess.CompletedProcess[str]:
    target = ("--target", str(machine / "packages"))
    return run(machine, "python3", "-m", "pip", "install", "--quiet", *target, *words)


def test_what_the_job_pins_is_installed_and_its_program_runs(machine: Path) -> None:
    installed = install(machine, f"aiperf=={AIPERF_VERSION}")
    assert (installed.returncode, installed.stdout, installed.stderr) == (0, "", "")
    program = machine / "packages" / "bin" / "aiperf"
    assert run(machine, str(program), "profile", "--streaming").stdout == "profile --streaming \n"


def test_processes_for_a_pod_of_eight_processors_are_fewer_here_and_it_says_so(machine: Path) -> None:
    benchmark = load_recipe("gpt-oss-120b/trtllm-agg").benchmark
    asked = ["--workers-max", str(benchmark.workers), "--record-processors", str(benchmark.record_processors)]
    connections = {"AIPERF_HTTP_CONNECTION_LIMIT": str(CONNECTIONS_PER_WORKER)}
    sized = run(machine, "python3", "-m", "sized_aiperf", *asked, **connections)
    # As many connections as before: two processes in place of 252.
    opened = benchmark.workers * CONNECTIONS_PER_WORKER // 2
    assert sized.stdout == f"--workers-max 2 --record-processors 1 {opened}\n"
    assert sized.stderr == "lab: processors here: 1, so --workers-max 2, --record-processors 1\n"


def test_a_python_whose_shell_is_killed_does_not_live_on() -> None:
    sleeps = "python3 -c 'import time; print(0, flush=True); time.sleep(300)' & echo $!; wait"
    environment = {"PATH": PATH, "PYTHONPATH": str(SITE)}
    shell = subprocess.Popen(["sh", "-c", sleeps], env=environment, stdout=subprocess.PIPE, text=True)
    assert shell.stdout is not None
    # Its number, and a word of its own: it has started.
    said = {int(shell.stdout.readline()), int(shell.stdout.readline())}
    child = psutil.Process(max(said))
    shell.kill()
    shell.wait()
    gone, _ = psutil.wait_procs([child], timeout=DEADLINE_SECONDS)
    assert gone == [child]
