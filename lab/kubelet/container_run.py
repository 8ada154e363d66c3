"""One container's life: starts, probes, restarts with back-off, the end."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.controller.objects import now
from lab.kubelet.container_state import ContainerState, Running, Terminated, Waiting
from lab.kubelet.probes import Probe, Verdict
from lab.kubelet.process import ContainerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

BACK_OFF_SECONDS = 10.0
_LONGEST_BACK_OFF_SECONDS = 300.0
"""The kubelet's own delays (Kubernetes documentation, Pod Lifecycle, "Container restarts")."""
_KILLED = 137


@dataclass(frozen=True)
class Program:
    """All that starts a container's process."""

    command: Sequence[str]
    variables: Mapping[str, str]
    folder: Path
    log: Path
    address: str
    text: Callable[[str], str]
    """Translates a word of a command."""


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
        self._container = container
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
            began = asyncio.get_running_loop().time()
            await self._once(program)
            if self._stopping or not self._is_restarted():
                return
            await self._wait_to_restart(asyncio.get_running_loop().time() - began)
            self.state.restarts += 1

    def simulate(self) -> None:
        """Be ready without a process, as a container of kwok's: its program is not on this machine."""
        self.state.state = Running(now())
        self.state.is_started = self.state.is_ready = True
        self._changed()

    async def stop(self, grace: float) -> None:
        """preStop, SIGTERM, and after the grace period SIGKILL; returns when the process is gone."""
        self._stopping = True
        process, program = self._process, self._program
        if process is None or program is None:
            return
        deadline = asyncio.get_running_loop().time() + grace
        hook = self._container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
        if hook:
            await self._run_beside(hook, grace)
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
            self._ended(Terminated(128, began, now(), message))
            return
        self._process = process
        self.state.state = Running(began)
        self.state.is_started = "startupProbe" not in self._container
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
        self._ended(Terminated(code, began, now(), self._last_words(process) if code else ""))

    def _last_words(self, process: ContainerProcess) -> str:
        """What the status keeps of the log: no program here writes the file that Kubernetes reads first."""
        keeps = self._container.get("terminationMessagePolicy") == "FallbackToLogsOnError"
        return process.last_output if keeps else ""

    def _ended(self, ended: Terminated) -> None:
        self.state.state = ended
        self.state.is_ready = self.state.is_started = False
        self._changed()

    def _is_restarted(self) -> bool:
        ended = self.state.state
        failed = not isinstance(ended, Terminated) or ended.code != 0
        return self._policy == "Always" or (self._policy == "OnFailure" and failed)

    async def _wait_to_restart(self, lasted: float) -> None:
        """The first restart is immediate; ten minutes without an end reset the delay."""
        if isinstance(self.state.state, Terminated):
            self.state.last = self.state.state
        times = 0 if lasted > 2 * _LONGEST_BACK_OFF_SECONDS else self.state.restarts
        if times == 0:
            return
        delay = min(self._back_off * 2 ** (times - 1), _LONGEST_BACK_OFF_SECONDS)
        message = f"back-off {delay:.0f}s restarting failed container={self.state.name}"
        self.state.state = Waiting("CrashLoopBackOff", message)
        self._event("Warning", "BackOff", message)
        self._changed()
        await asyncio.sleep(delay)

    async def _probe(self, process: ContainerProcess) -> None:
        startup = Probe.of(self._container, "startupProbe")
        if startup is not None:
            if not await self._until(startup, "Startup", process):
                return
            self.state.is_started = True
            self._changed()
        await asyncio.gather(self._readiness(), self._liveness(process))

    async def _readiness(self) -> None:
        probe = Probe.of(self._container, "readinessProbe")
        if probe is None:
            self._ready(is_ready=True)
            return
        verdict = Verdict(probe)
        await asyncio.sleep(probe.initial_delay)
        while True:
            reached = verdict.count(passed=await self._passes(probe, "Readiness"))
            if reached is not None:
                self._ready(is_ready=reached)
            await asyncio.sleep(probe.period)

    async def _liveness(self, process: ContainerProcess) -> None:
        probe = Probe.of(self._container, "livenessProbe")
        if probe is None:
            return
        verdict = Verdict(probe)
        await asyncio.sleep(probe.initial_delay)
        while verdict.count(passed=await self._passes(probe, "Liveness")) is not False:
            await asyncio.sleep(probe.period)
        await self._restart_after("Liveness", process)

    async def _until(self, probe: Probe, kind: str, process: ContainerProcess) -> bool:
        """Whether the probe passed before its failures ended the container."""
        verdict = Verdict(probe)
        await asyncio.sleep(probe.initial_delay)
        while (reached := verdict.count(passed=await self._passes(probe, kind))) is None:
            # The kubelet asks a starting container each period; a lab has no minutes to wait for.
            await asyncio.sleep(min(probe.period, 1))
        if not reached:
            await self._restart_after(kind, process)
        return reached

    async def _passes(self, probe: Probe, kind: str) -> bool:
        program = self._program
        if program is None:
            return False
        ports = {
            each["name"]: each["containerPort"] for each in self._container.get("ports", ()) if "name" in each
        }
        asked = await probe.ask(program.address, ports, self._run_beside)
        if not asked.passed:
            self._event("Warning", "Unhealthy", f"{kind} probe failed: {asked.said}")
        return asked.passed

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

    async def _run_beside(self, command: Sequence[str], seconds: float) -> tuple[int, str]:
        """Run a command in the container: a hook or a probe."""
        program = self._program
        if program is None:
            return 1, "no container"
        try:
            beside = await asyncio.create_subprocess_exec(
                *(program.text(word) for word in command),
                env=dict(program.variables),
                cwd=program.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        except OSError as error:
            return 1, str(error)
        try:
            output, _ = await asyncio.wait_for(beside.communicate(), seconds)
        except TimeoutError:
            beside.kill()
            await beside.wait()
            return _KILLED, f"command timed out after {seconds:.0f} s"
        return beside.returncode or 0, output.decode(errors="replace")

    def _ready(self, *, is_ready: bool) -> None:
        if self.state.is_ready != is_ready:
            self.state.is_ready = is_ready
            self._changed()
