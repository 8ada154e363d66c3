"""A command in a fork is told and tells what it would in a process of its own."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lab import processes
from lab.directory import LabDirectory
from lab.environment import sealed_environment
from lab.fork_server import LAUNCHER
from lab.fork_server.launcher import SOCKET
from lab.supervisor.server import socket_path
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

_TELL = """
import json, os, sys, threading
print(json.dumps({
    "arguments": sys.argv[1:], "folder": os.getcwd(), "variables": dict(os.environ), "path": sys.path[0],
    "name": __name__, "typed": sys.stdin.read(), "loaded": "pulumi_kubernetes" in sys.modules,
    "threads": threading.active_count(), "session": os.getsid(0),
}))
print("to the other", file=sys.stderr)
sys.exit(7)
"""
_WAIT = """
import os, signal, sys
def told(number, _):
    print("told", number, flush=True)
signal.signal(signal.SIGTERM, told)
print(os.getpid(), flush=True)
while True:
    signal.pause()
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabDirectory]:
    directory = Sandbox.at(tmp_path_factory.mktemp("lab")).directory
    processes.start(directory, processes.FORK_SERVER)
    yield directory
    processes.end(directory)


def test_a_command_runs_in_a_fork_with_its_own_arguments_folder_variables_and_streams(
    lab: LabDirectory, tmp_path: Path
) -> None:
    variables = sealed_environment(lab) | {"OWN": "one"}
    command = _command(tmp_path, _TELL)
    cold, forked = (
        subprocess.run(
            [*before, *command, "first", "second"],
            cwd=tmp_path,
            env=variables,
            input="typed",
            capture_output=True,
            text=True,
            check=False,
        )
        for before in ((), LAUNCHER)
    )
    assert forked.returncode == cold.returncode == 7
    assert forked.stderr == cold.stderr == "to the other\n"
    expected, told = json.loads(cold.stdout), json.loads(forked.stdout)
    assert told.pop("loaded")
    assert not expected.pop("loaded")
    assert told.pop("session") != expected.pop("session")
    assert told["variables"].pop("LAB_STARTED_BY") == str(os.getpid())
    assert told == expected


def test_signals_go_on_to_the_fork_and_its_end_by_one_is_the_launcher_s(
    lab: LabDirectory, tmp_path: Path
) -> None:
    with _started(lab, _command(tmp_path, _WAIT)) as launcher:
        fork = psutil.Process(int(_line(launcher)))
        launcher.send_signal(signal.SIGTERM)
        assert _line(launcher) == f"told {signal.SIGTERM.value}"
        fork.kill()
        assert launcher.wait(30) == -signal.SIGKILL


def test_a_fork_ends_with_its_launcher(lab: LabDirectory, tmp_path: Path) -> None:
    with _started(lab, _command(tmp_path, _WAIT)) as launcher:
        fork = psutil.Process(int(_line(launcher)))
        launcher.kill()
        fork.wait(30)


def test_a_fork_and_its_launcher_that_end_together_leave_the_fork_server_as_it_was(
    lab: LabDirectory, tmp_path: Path
) -> None:
    with _started(lab, _command(tmp_path, _WAIT)) as launcher:
        fork = psutil.Process(int(_line(launcher)))
        server = fork.parent()
        assert server
        server.suspend()
        fork.kill()
        until(lambda: fork.status() == psutil.STATUS_ZOMBIE, "the fork has ended")
        launcher.kill()
        launcher.wait()
        server.resume()
    assert _is_loaded(lab, tmp_path)
    assert server.is_running()


def test_a_launcher_that_ends_while_it_asks_leaves_none_of_its_streams_open(lab: LabDirectory) -> None:
    reading, writing = os.pipe()
    folder = os.open(lab.processes, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as launcher:
        launcher.connect(socket_path(folder, SOCKET))
        socket.send_fds(launcher, [(100).to_bytes(4, "big")], [writing] * 3)
        launcher.sendall(b"{")
    os.close(folder)
    os.close(writing)
    ended, _, _ = select.select([reading], [], [], 30)
    os.close(reading)
    assert ended, "the fork server holds them"


def test_a_request_from_an_environment_that_is_gone_leaves_the_fork_server_as_it_was(
    lab: LabDirectory, tmp_path: Path
) -> None:
    gone = str(tmp_path / "gone" / "bin" / "python")
    assert _run(lab, [gone, *_command(tmp_path, _TELL)[1:]]).returncode != 0
    assert _is_loaded(lab, tmp_path)
    found = processes.find(lab, processes.FORK_SERVER)
    assert found
    assert not found.restarts


def test_a_fork_server_that_ends_late_leaves_the_next_one_its_socket(tmp_path: Path) -> None:
    directory = Sandbox.at(tmp_path / "lab").directory
    processes.start(directory, processes.FORK_SERVER)
    found = processes.find(directory, processes.FORK_SERVER)
    assert found
    late = psutil.Process(found.pid)
    supervisor = late.parent()
    assert supervisor
    late.suspend()
    supervisor.kill()
    supervisor.wait(30)
    processes.start(directory, processes.FORK_SERVER)
    late.resume()
    late.wait(30)
    assert _is_loaded(directory, tmp_path)
    processes.end(directory)


def test_a_fork_ends_with_the_fork_server_and_the_next_command_runs_by_itself(tmp_path: Path) -> None:
    directory = Sandbox.at(tmp_path / "lab").directory
    processes.start(directory, processes.FORK_SERVER)
    with _started(directory, _command(tmp_path, _WAIT)) as launcher:
        fork = psutil.Process(int(_line(launcher)))
        processes.end(directory)
        fork.wait(30)
        assert launcher.wait(30) == -signal.SIGKILL
    assert _is_loaded(directory, tmp_path) is False


def test_a_command_that_another_cluster_or_environment_is_given_to_runs_by_itself(
    lab: LabDirectory, tmp_path: Path
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    assert _is_loaded(lab, tmp_path)
    assert not _is_loaded(lab, tmp_path, variables={"KUBECONFIG": "/other"})
    assert not _is_loaded(lab, tmp_path, python=str(python))


def _is_loaded(
    lab: LabDirectory, folder: Path, python: str = sys.executable, variables: dict[str, str] | None = None
) -> bool:
    ended = _run(lab, [python, *_command(folder, _TELL)[1:]], variables)
    return json.loads(ended.stdout)["loaded"]


def _command(folder: Path, text: str) -> list[str]:
    script = folder / "script.py"
    script.write_text(text, encoding="utf-8")
    return [sys.executable, "-u", str(script)]


def _run(
    lab: LabDirectory, command: list[str], variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LAUNCHER, *command],
        env=sealed_environment(lab) | (variables or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _started(lab: LabDirectory, command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*LAUNCHER, *command],
        env=sealed_environment(lab),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    ready, _, _ = select.select([process.stdout], [], [], 30)
    assert ready, "it says nothing"
    return process.stdout.readline().strip()
