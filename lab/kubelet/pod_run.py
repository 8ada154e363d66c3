"""One pod's life on its node: volumes, init containers, containers, status, the end."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from lab.controller.api import ApiError
from lab.kubelet.container_run import ContainerRun, Program
from lab.kubelet.container_state import ContainerState, Terminated, Waiting
from lab.kubelet.environment import CannotStartError, container_variables, expanded
from lab.kubelet.images import image_of, words_of
from lab.kubelet.network import cluster_address
from lab.kubelet.objects import read_objects
from lab.kubelet.pod_status import pod_status
from lab.kubelet.volumes import make_volumes, mounts_of, remove_volumes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.kubelet.images import Image
    from lab.kubelet.machine import Machine
    from lab.kubelet.objects import Objects
    from lab.kubelet.translation import Translation

_AGAIN_SECONDS = 2.0
_PULL_AGAIN_SECONDS = 30.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Prepared:
    objects: Objects
    volumes: dict[str, Path]
    credentials: Path | None


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
        self._writing = asyncio.ensure_future(self._write())

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
        self._changed()
        try:
            prepared = await self._prepare()
            for container, run in zip(
                self.pod["spec"].get("initContainers", ()), self._prepared, strict=True
            ):
                await run.run(await self._program(container, run.state, prepared))
                if isinstance(run.state.state, Terminated) and run.state.state.code:
                    return
            pairs = zip(self.pod["spec"]["containers"], self._containers, strict=True)
            await asyncio.gather(*(self._start(container, run, prepared) for container, run in pairs))
        except asyncio.CancelledError:
            raise
        except Exception:
            _log.exception("pod %s", self.pod["metadata"]["name"])

    async def _start(self, container: Mapping[str, Any], run: ContainerRun, prepared: _Prepared) -> None:
        if image_of(container) is None:
            run.simulate()
            return
        await run.run(await self._program(container, run.state, prepared))

    async def _prepare(self) -> _Prepared:
        """Return volumes and objects as soon as all of them are there."""
        for run in (*self._prepared, *self._containers):
            run.state.state = Waiting("ContainerCreating" if not self._prepared else "PodInitializing")
        while True:
            try:
                return await self._volumes()
            except CannotStartError as error:
                self._event("Warning", error.reason, str(error))
            except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                _log.info("pod %s: %s", self.pod["metadata"]["name"], error)
            self._changed()
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _volumes(self) -> _Prepared:
        objects = await read_objects(self._machine.api, self.pod)
        token = await self._machine.token(self.pod)
        volumes = make_volumes(self._machine.root, self.pod, objects, self.address, token)
        credentials = self._machine.write_credentials(self.pod, token) if token else None
        return _Prepared(objects, volumes, credentials)

    async def _program(
        self, container: Mapping[str, Any], state: ContainerState, prepared: _Prepared
    ) -> Program:
        """Return how the container is started, as soon as its image and all that it refers to are there."""
        image = image_of(container)
        if image is not None:
            await self._pull(image, state)
        while True:
            try:
                variables = container_variables(self.pod, container, prepared.objects, self.address)
                break
            except CannotStartError as error:
                state.state = Waiting(error.reason, str(error))
                self._event("Warning", "Failed", f"Error: {error}")
                self._changed()
            await asyncio.sleep(_AGAIN_SECONDS)
            prepared = await self._volumes()
        mounts = mounts_of(container, prepared.volumes)
        translation = self._machine.translation(self.pod, mounts)
        _translate_files(self.pod, prepared.volumes, translation)
        words = words_of(container, image, self.address) if image else []
        translated = {name: translation.text(value) for name, value in variables.items()}
        log = self._machine.log_file(self.pod, container["name"])
        return Program(
            command=[translation.text(expanded(word, variables)) for word in words],
            variables=self._machine.variables(self.address, prepared.credentials, image) | translated,
            folder=_working_directory(translation, container)
            or self._machine.working_directory(self.pod, container),
            log=log,
            address=self.address,
            text=lambda word: translation.text(expanded(word, variables)),
        )

    async def _pull(self, image: Image, state: ContainerState) -> None:
        def say(words: str) -> None:
            state.state = Waiting("ContainerCreating", words)
            self._event("Normal", "Pulling", words)
            self._changed()

        while True:
            try:
                await self._machine.programs.pull(image, say)
            except CannotStartError as error:
                state.state = Waiting(error.reason, str(error))
                self._event("Warning", "Failed", f"Failed to pull image: {error}")
                self._changed()
            else:
                return
            await asyncio.sleep(_PULL_AGAIN_SECONDS)

    def _changed(self) -> None:
        self._dirty.set()

    def _event(self, kind: str, reason: str, message: str) -> None:
        # The kubelet counts what it says again; once is enough here, or the API server would be kept busy.
        if message not in self._said:
            self._said.add(message)
            self._machine.event(self.pod, kind, reason, message)

    async def _write(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            if self._is_silent:
                return
            prepared = [each.state for each in self._prepared]
            containers = [each.state for each in self._containers]
            status = pod_status(self.pod, cluster_address(self.address), prepared, containers)
            with suppress(ApiError, aiohttp.ClientError, OSError, TimeoutError):
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
    for volume in pod["spec"].get("volumes", ()):
        if "configMap" in volume:
            for file in volumes[volume["name"]].rglob("*"):
                if file.is_file():
                    file.write_text(translation.text(file.read_text(encoding="utf-8")), encoding="utf-8")
