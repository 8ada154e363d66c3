"""Whether a run is alive, told by real processes."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from cli.errors import CommandError
from cli.recovery.locks import holder_is_alive, refuse_live_runs
from cli.recovery.orphans import find_orphans, wait_for_orphans
from cli.recovery.remains import Lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def _process(command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def _lock(pid: int, host: str | None = None) -> Lock:
    return Lock("ada", host or socket.gethostname(), pid, "2026-11-21T16:00:00Z")


def test_a_lock_whose_pulumi_runs_is_refused_and_one_whose_pulumi_was_killed_is_not(tmp_path: Path) -> None:
    pulumi = shutil.copy(shutil.which("sleep") or "", tmp_path / "pulumi")
    with _process([str(pulumi), "60"], tmp_path) as run:
        with pytest.raises(CommandError, match=f"alive: pid {run.pid} of ada .*\n.*\n.*kill -INT {run.pid}"):
            refuse_live_runs((_lock(run.pid),), None)
        run.kill()
        # Not collected yet: it has a process id and no life.
        run.stdout and run.stdout.read()
        refuse_live_runs((_lock(run.pid),), None)


def test_a_process_id_that_something_else_has_now_is_no_sign_of_life(tmp_path: Path) -> None:
    with _process([sys.executable, "-c", "input()"], tmp_path) as other:
        assert not holder_is_alive(_lock(other.pid))


def test_a_run_on_another_machine_must_be_known_to_have_ended() -> None:
    lock = _lock(1, "ci-7")
    for ended in (None, "ci-8"):
        with pytest.raises(
            CommandError, match=r"from another machine: pid 1 of ada on ci-7.*\n.*\n.*--ended ci-7"
        ):
            refuse_live_runs((lock,), ended)
    refuse_live_runs((lock,), "ci-7")


_WAITS = "import sys; print('on', flush=True); sys.stdin.readline()"


@contextmanager
def _plugin(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", _WAITS, f"127.0.0.1:{port}"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_a_plugin_whose_engine_is_gone_is_waited_for_and_never_ended(tmp_path: Path) -> None:
    said: list[str] = []
    with _plugin(tmp_path, _free_port()) as plugin:
        assert [orphan.pid for orphan in find_orphans(tmp_path)] == [plugin.pid]
        with pytest.raises(CommandError, match=f"still running.*pid {plugin.pid}"):
            wait_for_orphans(tmp_path, said.append, longest_seconds=0.6)
        assert plugin.poll() is None
        ending = threading.Timer(1.0, plugin.kill)
        ending.start()
        wait_for_orphans(tmp_path, said.append, longest_seconds=30)
        assert not ending.is_alive()
    assert f"pid {plugin.pid}" in said[-1]


def test_a_plugin_whose_engine_answers_and_one_of_another_project_are_nobody_of_ours(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as engine, _plugin(tmp_path, engine.getsockname()[1]):
        assert find_orphans(tmp_path) == ()
    with _plugin(other, _free_port()):
        assert find_orphans(tmp_path) == ()
