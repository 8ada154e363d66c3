"""A container's process: started, asked, restarted and ended as the kubelet does."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from lab.kubelet.container_run import ContainerRun, Program
from lab.kubelet.container_state import Running, Terminated, Waiting
from tests.lab.kubelet.pods import container

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

SHELL = shutil.which("sh") or "/bin/sh"
DEADLINE_SECONDS = 20.0


class Bench:
    """One container of a shell script, and what was told of it."""

    def __init__(self, folder: Path, script: str, policy: str = "Always", **fields: Any) -> None:
        self.events: list[str] = []
        self._changed = asyncio.Event()
        self.log = folder / "log"
        self.run = ContainerRun(container(**fields), policy, self._changed.set, self._event, back_off=0.01)
        self.program = Program(
            [SHELL, "-c", script], {"PATH": "/usr/bin:/bin"}, folder, self.log, "127.0.0.1", lambda word: word
        )

    def _event(self, _: str, reason: str, message: str) -> None:
        self.events.append(f"{reason}: {message}")

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for a state, which some change must bring."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


def played(play: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(play())  # type: ignore[arg-type]


def test_a_process_that_ends_well_is_not_started_again_where_it_need_not_be(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "echo done", "OnFailure")
        await bench.run.run(bench.program)
        assert isinstance(bench.run.state.state, Terminated)
        assert (bench.run.state.state.code, bench.run.state.restarts) == (0, 0)
        stamp, stream, flag, text = bench.log.read_text().split()
        assert (stream, flag, text) == ("stdout", "F", "done")
        assert stamp.endswith("Z")

    played(play)


def test_a_process_that_fails_is_started_again_and_its_last_words_are_told(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(
            tmp_path, "echo 'no such flag' >&2; exit 3", terminationMessagePolicy="FallbackToLogsOnError"
        )
        running = asyncio.ensure_future(bench.run.run(bench.program))
        await bench.until(lambda: bench.run.state.restarts >= 2)
        await bench.run.stop(DEADLINE_SECONDS)
        await running
        last = bench.run.state.last
        assert last is not None
        assert (last.code, last.message) == (3, "no such flag")
        assert any(each.startswith("BackOff") for each in bench.events)
        assert "Failed: exit code 3; its last lines:\nno such flag" in bench.events

    played(play)


@pytest.mark.parametrize(
    ("script", "kept"),
    [
        ("seq 1000; exit 1", "".join(f"\n{number}" for number in range(921, 1001)).strip()),
        ("printf %3000s x; exit 1", " " * 2047 + "x"),
        ("echo done", ""),
    ],
)
def test_a_status_keeps_as_much_of_a_failed_process_s_log_as_kubernetes_does(
    script: str, kept: str, tmp_path: Path
) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, script, "Never", terminationMessagePolicy="FallbackToLogsOnError")
        await bench.run.run(bench.program)
        assert isinstance(bench.run.state.state, Terminated)
        assert bench.run.state.state.message == kept

    played(play)


def test_without_the_policy_a_status_keeps_nothing_of_the_log(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "echo 'no such flag' >&2; exit 3", "Never")
        await bench.run.run(bench.program)
        assert isinstance(bench.run.state.state, Terminated)
        assert (bench.run.state.state.code, bench.run.state.state.message) == (3, "")

    played(play)


def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "", "Never")
        missing = Program(["/no/such/program"], {}, tmp_path, bench.log, "127.0.0.1", lambda word: word)
        await bench.run.run(missing)
        assert isinstance(bench.run.state.state, Terminated)
        assert bench.run.state.state.code == 128
        assert "/no/such/program" in bench.events[0]

    played(play)


def test_what_a_process_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "sleep 300 & echo $!", "Never")
        await bench.run.run(bench.program)
        left = int(bench.log.read_text().split()[-1])
        async with asyncio.timeout(DEADLINE_SECONDS):
            while psutil.pid_exists(left) and psutil.Process(left).status() != psutil.STATUS_ZOMBIE:
                await asyncio.sleep(0.01)

    played(play)


def test_sigterm_is_sent_first_and_a_process_that_heeds_it_is_not_killed(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "trap 'echo drained; exit 0' TERM; echo up; while :; do sleep 0.05; done")
        running = asyncio.ensure_future(bench.run.run(bench.program))
        await bench.until(lambda: isinstance(bench.run.state.state, Running))
        while "up" not in bench.log.read_text():
            await asyncio.sleep(0)
        await bench.run.stop(DEADLINE_SECONDS)
        await running
        assert isinstance(bench.run.state.state, Terminated)
        assert bench.run.state.state.code == 0
        assert "drained" in bench.log.read_text()

    played(play)


def test_a_process_that_does_not_end_is_killed_after_the_grace_period(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "trap '' TERM; echo up; while :; do sleep 0.05; done")
        running = asyncio.ensure_future(bench.run.run(bench.program))
        await bench.until(lambda: isinstance(bench.run.state.state, Running))
        while "up" not in bench.log.read_text():
            await asyncio.sleep(0)
        await bench.run.stop(0.05)
        await running
        assert isinstance(bench.run.state.state, Terminated)
        assert bench.run.state.state.code == 137

    played(play)


def test_a_readiness_probe_is_asked_of_the_process(tmp_path: Path) -> None:
    async def play() -> None:
        probe = {"exec": {"command": ["test", "-e", str(tmp_path / "ready")]}, "periodSeconds": 0.01}
        bench = Bench(tmp_path, "exec sleep 60", readinessProbe=probe)
        running = asyncio.ensure_future(bench.run.run(bench.program))
        await bench.until(lambda: isinstance(bench.run.state.state, Running))
        assert not bench.run.state.is_ready
        (tmp_path / "ready").touch()
        await bench.until(lambda: bench.run.state.is_ready)
        (tmp_path / "ready").unlink()
        await bench.until(lambda: not bench.run.state.is_ready)
        bench.run.kill()
        await running

    played(play)


def test_a_liveness_probe_that_fails_starts_the_process_again(tmp_path: Path) -> None:
    async def play() -> None:
        probe = {"exec": {"command": ["false"]}, "periodSeconds": 0.01, "failureThreshold": 2}
        bench = Bench(tmp_path, "exec sleep 60", livenessProbe=probe)
        running = asyncio.ensure_future(bench.run.run(bench.program))
        await bench.until(lambda: bench.run.state.restarts == 1)
        await bench.run.stop(DEADLINE_SECONDS)
        await running
        assert "Killing: Container main failed liveness probe, will be restarted" in bench.events
        assert bench.run.state.last is not None
        assert bench.run.state.last.code == 143

    played(play)


def test_a_program_that_is_not_here_is_ready_without_a_process(tmp_path: Path) -> None:
    async def play() -> None:
        bench = Bench(tmp_path, "")
        assert isinstance(bench.run.state.state, Waiting)
        bench.run.simulate()
        assert bench.run.state.is_ready

    played(play)
