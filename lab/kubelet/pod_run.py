"""One pod's life on its node: volumes, init containers, containers, status, the end."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lab.controller.api import FAILURES
from lab.controller.following import look_whenever
from lab.kubelet.container_run import ContainerRun, Program
from lab.kubelet.environment import container_variables, expanded
from lab.kubelet.images import image_of, words_of
from lab.kubelet.network import cluster_address
from lab.kubelet.objects import CannotStartError, read_objects
from lab.kubelet.status import ContainerState, pod_status, waiting
from lab.kubelet.volumes import FAILED_MOUNT, make_volumes, mounts_of, remove_volumes, write_whole

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from lab.kubelet.images import Image
    from lab.kubelet.machine import Machine
    from lab.kubelet.translation import Translation

_T = TypeVar("_T")
_AGAIN_SECONDS = 2.0
_PULL_AGAIN_SECONDS = 30.0
_log = logging.getLogger(__name__)


class PodRun:
    """Runs one pod; its status follows whatever happens."""

    def __init__(self, machine: Machine, pod: Mapping[str, Any]) -> None:
        spec = pod["spec"]
        policy = spec.get("restartPolicy", "Always")
        self.pod = pod
        self.address = machine.address(pod)
        self._machine = machine
        self._prepared = [
            ContainerRun(each, "OnFailure", self._changed, self._event)
            for each in spec.get("initContainers", ())
        ]
        self._containers = [
            ContainerRun(each, policy, self._changed, self._event) for each in spec["containers"]
        ]
        _keep_count(pod, (*self._prepared, *self._containers))
        self._dirty = asyncio.Event()
        self._said: set[str] = set()
        self._is_silent = False
        self._running = asyncio.ensure_future(self._run())
        subject = f"the status of pod {pod['metadata']['name']}"
        self._writing = asyncio.ensure_future(look_whenever(self._dirty, self._write, subject))

    async def stop(self, grace: float) -> None:
        """End every process within so many seconds; then nothing of the pod is left on this machine."""
        self._running.cancel()
        await asyncio.gather(*(each.stop(grace) for each in (*self._prepared, *self._containers)))
        await self._end()
        remove_volumes(self._machine.root, self.pod["metadata"]["uid"])

    async def lose(self) -> None:
        """The pod's machine is gone: its processes end at once and nobody reports it."""
        self._is_silent = True
        for each in (*self._prepared, *self._containers):
            each.kill()
        await self._end()

    async def _end(self) -> None:
        for task in (self._running, self._writing):
            task.cancel()
        await asyncio.gather(self._running, self._writing, return_exceptions=True)

    async def _run(self) -> None:
        if not self._prepared:
            for run in self._containers:
                run.state.state = waiting("ContainerCreating")
        self._changed()
        try:
            for run in self._prepared:
                await run.run(await self._program(run))
                if run.state.exit_code:
                    return
            await asyncio.gather(*(self._start(run) for run in self._containers))
        except asyncio.CancelledError:
            raise
        except Exception:
            _log.exception("pod %s", self.pod["metadata"]["name"])

    async def _start(self, run: ContainerRun) -> None:
        if image_of(run.container) is None:
            run.simulate()
        else:
            await run.run(await self._program(run))

    async def _program(self, run: ContainerRun) -> Program:
        """Return how the container is started, as soon as its image and all that it refers to are there."""
        image = image_of(run.container)
        if image is not None:
            await self._tried(
                lambda: self._pull(image, run.state), run.state, "Failed to pull image", _PULL_AGAIN_SECONDS
            )
        return await self._tried(
            lambda: self._built(run.container, image), run.state, "Error", _AGAIN_SECONDS
        )

    async def _tried(
        self, attempt: Callable[[], Awaitable[_T]], state: ContainerState, what: str, pause: float
    ) -> _T:
        """What the attempt returns once it succeeds; until then state and events say why it did not."""
        while True:
            try:
                return await attempt()
            except CannotStartError as error:
                if error.reason == FAILED_MOUNT:
                    self._event("Warning", error.reason, str(error))
                else:
                    state.state = waiting(error.reason, str(error))
                    self._event("Warning", "Failed", f"{what}: {error}")
            except FAILURES as error:
                _log.info("pod %s: %s", self.pod["metadata"]["name"], error)
            self._changed()
            await asyncio.sleep(pause)

    async def _pull(self, image: Image, state: ContainerState) -> None:
        def say(words: str) -> None:
            state.state = waiting("ContainerCreating", words)
            self._event("Normal", "Pulling", words)
            self._changed()

        await self._machine.programs.pull(image, say)

    async def _built(self, container: Mapping[str, Any], image: Image | None) -> Program:
        machine = self._machine
        objects = await read_objects(machine.api, self.pod)
        token = await machine.token(self.pod)
        volumes = make_volumes(machine.root, self.pod, objects, self.address, token)
        credentials = machine.write_credentials(self.pod, token) if token else None
        given = container_variables(self.pod, container, objects, self.address)
        translation = machine.translation(self.pod, mounts_of(container, volumes))
        _translate_files(self.pod, volumes, translation)

        def translated(words: list[str]) -> list[str]:
            return [translation.text(expanded(word, given)) for word in words]

        variables = {name: translation.text(value) for name, value in given.items()}
        hook = container.get("lifecycle", {}).get("preStop", {}).get("exec", {})
        return Program(
            command=translated(words_of(container, image, self.address) if image else []),
            variables=machine.variables(self.address, credentials, image) | variables,
            folder=_working_directory(translation, container)
            or machine.working_directory(self.pod, container),
            log=machine.log_file(self.pod, container["name"]),
            address=self.address,
            pre_stop=translated(hook.get("command", [])),
        )

    def _changed(self) -> None:
        self._dirty.set()

    def _event(self, kind: str, reason: str, message: str) -> None:
        # The kubelet counts what it says again; once is enough here, or the API server would be kept busy.
        if message not in self._said:
            self._said.add(message)
            self._machine.event(self.pod, kind, reason, message)

    async def _write(self) -> None:
        if self._is_silent:
            return
        prepared = [each.state for each in self._prepared]
        containers = [each.state for each in self._containers]
        status = pod_status(self.pod, cluster_address(self.address), prepared, containers)
        self.pod = await self._machine.write_status(self.pod, status)


def _working_directory(translation: Translation, container: Mapping[str, Any]) -> Path | None:
    """Return the folder behind a working directory that is a mount, or below one."""
    typed = container.get("workingDir", "")
    found = translation.text(typed)
    return Path(found) if found != typed else None


def _keep_count(pod: Mapping[str, Any], runs: Sequence[ContainerRun]) -> None:
    """A kubelet that begins again finds containers that ran before: each start of them is one more."""
    status = pod.get("status", {})
    before = (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ()))
    counts = {each["name"]: each["restartCount"] + ("running" in each.get("state", {})) for each in before}
    for run in runs:
        run.state.restarts = counts.get(run.state.name, 0)


def _translate_files(pod: Mapping[str, Any], volumes: Mapping[str, Path], translation: Translation) -> None:
    """Write what a configuration file names as it is found on this machine."""
    folders = [volumes[each["name"]] for each in pod["spec"].get("volumes", ()) if "configMap" in each]
    for file in [each for folder in folders for each in folder.rglob("*") if each.is_file()]:
        write_whole(file, translation.text(file.read_text(encoding="utf-8")))
