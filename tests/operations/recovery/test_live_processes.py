"""Whether a run is alive, told by real processes."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from operations.errors import CommandError
from operations.recovery.locks import Lock, holder_is_alive, refuse_live_runs
from operations.recovery.orphan_processes import find_orphans, longest_life, wait_for_orphans

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
def _plugin(folder: Path, port: int, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", _WAITS, *words, f"127.0.0.1:{port}"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which nobody answers, and which nobody else can get meanwhile."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        yield silent.getsockname()[1]


_HOUR = 3600.0


class _Clock:
    """Time that passes by so much at each look, so that no test waits for it."""

    def __init__(self, step_seconds: float) -> None:
        self._now, self._step = 0.0, step_seconds

    def __call__(self) -> float:
        self._now += self._step
        return self._now


def _never_asked() -> bool:
    raise AssertionError("asked whether it may be ended while it still works")


def test_a_plugin_whose_engine_is_gone_is_waited_for_while_it_works(tmp_path: Path, port: int) -> None:
    said: list[str] = []
    with _plugin(tmp_path, port) as plugin:
        assert [orphan.pid for orphan in find_orphans(tmp_path)] == [plugin.pid]

        def unfinished() -> list[str]:
            plugin.kill()
            plugin.wait()
            return ["creating Release system/platform"]

        wait_for_orphans(
            tmp_path,
            said.append,
            longest_seconds=_HOUR,
            unfinished=unfinished,
            may_end=_never_asked,
            clock=_Clock(6),
        )
        assert plugin.returncode == -signal.SIGKILL, "it was not waited for"
    assert f"pid {plugin.pid}" in said[-1]
    assert "at most 60 min" in said[-1]


def test_a_plugin_that_waits_for_longer_than_five_minutes_is_not_given_up_before_its_wait_ends(
    tmp_path: Path, port: int
) -> None:
    said: list[str] = []
    longest = longest_life([_HOUR])
    with _plugin(tmp_path, port) as plugin:
        with pytest.raises(CommandError, match=f"still running after {longest:.0f} s.*pid {plugin.pid}"):
            wait_for_orphans(
                tmp_path,
                said.append,
                longest_seconds=longest,
                unfinished=tuple,
                may_end=lambda: False,
                clock=_Clock(600),
            )
        assert plugin.poll() is None
    assert longest > _HOUR
    # Its last call ended: it still looks for its engine only every five minutes.
    assert longest_life([]) == longest_life([1.0]) > 300


def test_a_plugin_that_can_only_wait_is_ended_when_a_person_says_so(tmp_path: Path, port: int) -> None:
    asked: list[bool] = []
    calls = iter([["creating Job serving/download"], []])

    def may_end() -> bool:
        asked.append(True)
        return True

    with _plugin(tmp_path, port) as plugin:
        wait_for_orphans(
            tmp_path,
            lambda _: None,
            longest_seconds=_HOUR,
            unfinished=lambda: next(calls),
            may_end=may_end,
            clock=_Clock(6),
        )
        assert plugin.wait(10) == -signal.SIGTERM
    assert asked == [True]


def test_a_plugin_whose_engine_answers_and_one_of_another_project_are_nobody_of_ours(
    tmp_path: Path, port: int
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as engine, _plugin(tmp_path, engine.getsockname()[1]):
        assert find_orphans(tmp_path) == ()
    with _plugin(other, port):
        assert find_orphans(tmp_path) == ()


def test_python_of_this_projects_own_which_never_ends_by_itself_is_ended_at_once(
    tmp_path: Path, port: int
) -> None:
    with _plugin(tmp_path, port, "pulumi.dynamic") as plugin:
        wait_for_orphans(
            tmp_path,
            lambda _: None,
            longest_seconds=_HOUR,
            unfinished=tuple,
            may_end=_never_asked,
            clock=time.monotonic,
        )
        assert plugin.wait(10) == -signal.SIGTERM
