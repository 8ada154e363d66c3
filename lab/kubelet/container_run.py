"""One container's life: starts, probes, restarts with back-off, the end."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.controller.objects import now
from lab.kubelet.probes import Probe
from lab.kubelet.process import ContainerProcess
from lab.kubelet.status import ContainerState, running, terminated, waiting

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path

    from lab.kubelet.status import State

BACK_OFF_SECONDS = 10.0
_LONGEST_BACK_OFF_SECONDS = 300.0
"""The kubelet's own delays (Kubernetes documentation, Pod Lifecycle, "Container restarts")."""


@dataclass(frozen=True)
class Program:
    """All that starts a container's process."""

    command: Sequence[str]
    variables: Mapping[str, str]
    folder: Path
    log: Path
    address: str
    pre_stop: Sequence[str] = ()
    """What is run before the process is asked to end."""


class ContainerRun:
    """Runs one container until it is told to stop."""

    def __init__(
        self,
        container: Mapping[str, Any],
        policy: str,
        changed: Callable[[], None],
        event: Callable[[str, str, str], None],
        back_off: float = BACK_OFF_SECONDS,
    ) -> None:
        self.state = ContainerState(container["name"], container["image"])
        self.container = container
        self._policy = policy
        self._changed = changed
        self._event = event
        self._back_off = back_off
        self._process: ContainerProcess | None = None
        self._program: Program | None = None
        self._stopping = False

    async def run(self, program: Program) -> None:
        """Return when the container has ended for good."""
        self._program = program
        while True:
            await self._once(program)
            if self._stopping or not self._is_restarted():
                return
            await self._wait_to_restart()
            self.state.restarts += 1

    def simulate(self) -> None:
        """Be ready without a process, as a container of kwok's: its program is not on this machine."""
        self.state.state = running(now())
        self.state.is_started = self.state.is_ready = True
        self._changed()

    async def stop(self, grace: float) -> None:
        """preStop, SIGTERM, and after the grace period SIGKILL; returns when the process is gone."""
        self._stopping = True
        process, program = self._process, self._program
        if process is None or program is None:
            return
        deadline = asyncio.get_running_loop().time() + grace
        if program.pre_stop:
            await _run_hook(program, grace)
        await self._end(process, max(0.0, deadline - asyncio.get_running_loop().time()))

    def kill(self) -> None:
        """End it at once, as a machine does that loses power."""
        self._stopping = True
        if self._process is not None:
            self._process.kill()

    async def _once(self, program: Program) -> None:
        began = now()
        try:
            process = await ContainerProcess.start(
                program.command, program.variables, program.folder, program.log
            )
        except OSError as error:
            message = f"failed to start container: {error}"
            self._event("Warning", "Failed", message)
            self._ended(terminated(128, began, now(), message))
            return
        self._process = process
        self.state.state = running(began)
        self.state.is_started = "startupProbe" not in self.container
        self._changed()
        probing = asyncio.ensure_future(self._probe(process))
        try:
            code = await process.wait()
        finally:
            probing.cancel()
            await asyncio.gather(probing, return_exceptions=True)
        self._process = None
        if code and not self._stopping:
            self._event("Warning", "Failed", f"exit code {code}; its last lines:\n{process.last_lines}")
        self._ended(terminated(code, began, now(), self._last_words(process) if code else ""))

    def _last_words(self, process: ContainerProcess) -> str:
        """What the status keeps of the log: no program here writes the file that Kubernetes reads first."""
        keeps = self.container.get("terminationMessagePolicy") == "FallbackToLogsOnError"
        return process.last_output if keeps else ""

    def _ended(self, ended: State) -> None:
        self.state.state = ended
        self.state.is_ready = self.state.is_started = False
        self._changed()

    def _is_restarted(self) -> bool:
        return self._policy == "Always" or (self._policy == "OnFailure" and self.state.exit_code != 0)

    async def _wait_to_restart(self) -> None:
        """The first restart is immediate. No lab waits for the ten minutes that reset the delay."""
        self.state.last = self.state.state
        times = self.state.restarts
        if times == 0:
            return
        delay = min(self._back_off * 2 ** (times - 1), _LONGEST_BACK_OFF_SECONDS)
        message = f"back-off {delay:.0f}s restarting failed container={self.state.name}"
        self.state.state = waiting("CrashLoopBackOff", message)
        self._event("Warning", "BackOff", message)
        self._changed()
        await asyncio.sleep(delay)

    async def _probe(self, process: ContainerProcess) -> None:
        startup = Probe.of(self.container, "startupProbe")
        if startup is not None:
            # The kubelet asks a starting container each period; a lab has no minutes to wait for.
            if not await anext(self._verdicts(startup, "Startup", min(startup.period, 1))):
                await self._restart_after("Startup", process)
                return
            self.state.is_started = True
            self._changed()
        await asyncio.gather(self._readiness(), self._liveness(process))

    async def _readiness(self) -> None:
        probe = Probe.of(self.container, "readinessProbe")
        if probe is None:
            self._ready(is_ready=True)
            return
        async for reached in self._verdicts(probe, "Readiness", probe.period):
            self._ready(is_ready=reached)

    async def _liveness(self, process: ContainerProcess) -> None:
        probe = Probe.of(self.container, "livenessProbe")
        if probe is None:
            return
        async for reached in self._verdicts(probe, "Liveness", probe.period):
            if not reached:
                await self._restart_after("Liveness", process)
                return

    async def _verdicts(self, probe: Probe, kind: str, period: float) -> AsyncIterator[bool]:
        """Ask again and again; yield each answer that reaches a threshold."""
        ports = {
            each["name"]: each["containerPort"] for each in self.container.get("ports", ()) if "name" in each
        }
        address = self._program.address if self._program else ""
        await asyncio.sleep(probe.initial_delay)
        while True:
            failure = await probe.ask(address, ports)
            if failure:
                self._event("Warning", "Unhealthy", f"{kind} probe failed: {failure}")
            reached = probe.count(passed=not failure)
            if reached is not None:
                yield reached
            await asyncio.sleep(period)

    async def _restart_after(self, kind: str, process: ContainerProcess) -> None:
        message = f"Container {self.state.name} failed {kind.lower()} probe, will be restarted"
        self._event("Normal", "Killing", message)
        await self._end(process, 30)

    async def _end(self, process: ContainerProcess, grace: float) -> None:
        process.signal(signal.SIGTERM)
        ending = asyncio.ensure_future(process.wait())
        done, _ = await asyncio.wait([ending], timeout=grace)
        if not done:
            process.kill()
            await ending

    def _ready(self, *, is_ready: bool) -> None:
        if self.state.is_ready != is_ready:
            self.state.is_ready = is_ready
            self._changed()


async def _run_hook(program: Program, seconds: float) -> None:
    """Run the command before the end; one that does not end by itself in time is killed."""
    try:
        hook = await asyncio.create_subprocess_exec(
            *program.pre_stop,
            env=dict(program.variables),
            cwd=program.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return
    try:
        await asyncio.wait_for(hook.wait(), seconds)
    except TimeoutError:
        hook.kill()
        await hook.wait()
