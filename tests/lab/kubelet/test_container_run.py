"""A container's process: started, asked, restarted and ended as the kubelet does."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from lab.kubelet.container_run import ContainerRun, Program
from lab.kubelet.process import ContainerProcess
from tests.lab.kubelet.pods import answering, container

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

SHELL = shutil.which("sh") or "/bin/sh"
DEADLINE_SECONDS = 20.0
KEEPS = {"terminationMessagePolicy": "FallbackToLogsOnError"}
LAST_80_LINES = "\n".join(str(number) for number in range(921, 1001))


class Bench:
    """One container of a shell script, and what was told of it."""

    def __init__(self, folder: Path, script: str, policy: str = "Always", **fields: Any) -> None:
        self.events: list[str] = []
        self._changed = asyncio.Event()
        self.log = folder / "log"
        self.hooked = folder / "hooked"
        self.run = ContainerRun(container(**fields), policy, self._changed.set, self._event, back_off=0.01)
        self.state = self.run.state
        self.program = Program(
            [SHELL, "-c", script],
            {"PATH": "/usr/bin:/bin"},
            folder,
            self.log,
            "127.0.0.1",
            pre_stop=["touch", str(self.hooked)],
        )

    def _event(self, _: str, reason: str, message: str) -> None:
        self.events.append(f"{reason}: {message}")

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for a state, which some change must bring."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not holds():
                self._changed.clear()
                await self._changed.wait()

    def play(
        self, scene: Callable[[Bench], Coroutine[None, None, None]], grace: float = DEADLINE_SECONDS
    ) -> None:
        """Let the container run during the scene, and stop it."""

        async def played() -> None:
            running = asyncio.ensure_future(self.run.run(self.program))
            await scene(self)
            await self.run.stop(grace)
            await running

        asyncio.run(played())

    def play_to_the_end(self) -> None:
        """Let the container run until it ends by itself."""
        asyncio.run(self.run.run(self.program))


@pytest.mark.parametrize(
    ("script", "fields", "code", "kept"),
    [
        ("echo done", KEEPS, 0, ""),
        ("seq 1000; exit 1", KEEPS, 1, LAST_80_LINES),
        ("printf %3000s x; exit 1", KEEPS, 1, " " * 2047 + "x"),
        ("echo 'no such flag' >&2; exit 3", {}, 3, ""),
    ],
)
def test_a_status_keeps_as_much_of_a_failed_process_s_log_as_kubernetes_does(
    script: str, fields: dict[str, str], code: int, kept: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, script, "Never", **fields)
    bench.play_to_the_end()
    ended = bench.state.state["terminated"]
    assert (ended["exitCode"], ended.get("message", ""), bench.state.restarts) == (code, kept, 0)


@pytest.mark.parametrize(
    ("trap", "grace", "code"), [("echo drained; exit 0", DEADLINE_SECONDS, 0), ("", 0.05, 137)]
)
def test_after_its_hook_a_process_is_asked_to_end_and_killed_after_the_grace_period(
    trap: str, grace: float, code: int, tmp_path: Path
) -> None:
    async def scene(bench: Bench) -> None:
        await bench.until(lambda: "running" in bench.state.state)
        while "up" not in bench.log.read_text():
            await asyncio.sleep(0)

    bench = Bench(tmp_path, f"trap '{trap}' TERM; echo up; while :; do sleep 0.05; done")
    bench.play(scene, grace)
    assert bench.state.exit_code == code
    assert ("drained" in bench.log.read_text()) == (code == 0)
    assert bench.hooked.exists()


def probed(port: int, **fields: Any) -> dict[str, Any]:
    return {"httpGet": {"port": port}, "periodSeconds": 0.01, **fields}


def test_a_container_is_ready_while_its_probe_passes_and_starts_again_when_it_is_not_alive(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        statuses = [503]
        async with answering(statuses) as port:
            bench = Bench(
                tmp_path,
                "exec sleep 60",
                startupProbe=probed(port, failureThreshold=10_000),
                readinessProbe=probed(port, failureThreshold=2),
                livenessProbe=probed(port, failureThreshold=4),
            )
            running = asyncio.ensure_future(bench.run.run(bench.program))
            await bench.until(lambda: "running" in bench.state.state)
            assert not bench.state.is_started
            statuses.append(200)
            await bench.until(lambda: bench.state.is_ready)
            statuses.append(503)
            await bench.until(lambda: not bench.state.is_ready)
            await bench.until(lambda: bench.state.restarts == 1 and "running" in bench.state.state)
            bench.run.kill()
            await running
            assert bench.state.last["terminated"]["exitCode"] == 143
            assert "Killing: Container main failed liveness probe, will be restarted" in bench.events

    asyncio.run(scene())


def test_a_process_that_is_asked_to_end_just_after_it_has_ended_keeps_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go, real = threading.Event(), os.waitpid

    def waitpid(pid: int, options: int) -> tuple[int, int]:
        # Whoever waits for the end is late; the subprocess module has its own reference, and is not.
        let_go.wait(DEADLINE_SECONDS)
        return real(pid, options)

    async def scene() -> None:
        process = await ContainerProcess.start([SHELL, "-c", "exit 7"], {}, tmp_path, tmp_path / "log")
        child = psutil.Process(process._process.pid)
        while child.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        process.signal(signal.SIGTERM)
        let_go.set()
        assert await process.wait() == 7

    monkeypatch.setattr(os, "waitpid", waitpid)
    asyncio.run(scene())


def test_a_process_that_is_started_while_its_kubelet_dies_ends_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        process = await ContainerProcess.start([SHELL, "-c", "exit 7"], {}, tmp_path, tmp_path / "log")
        assert await process.wait() == 1

    monkeypatch.setattr(os, "getppid", lambda: 1)
    asyncio.run(scene())
