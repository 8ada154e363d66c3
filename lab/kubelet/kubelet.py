"""Follows the pods of the cluster and runs those whose programs are here."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lab.control_plane import SILENT
from lab.controller.api import FAILURES, ApiError
from lab.controller.following import DELETED, Kind
from lab.kubelet.downloads import fill_claims
from lab.kubelet.kwok_access import access_objects
from lab.kubelet.network import cluster_address
from lab.kubelet.objects import read_objects
from lab.kubelet.pod_run import PodRun
from lab.kubelet.service_proxy import ServiceProxy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.controller.api import Manifest
    from lab.controller.following import Changed
    from lab.kubelet.machine import Machine

RUNS_HERE = "lab.kubelet/runs"
"""Annotation of the pods that are run as processes; an admission policy writes it (lab/fixtures)."""
_SILENCE = SILENT.partition("=")
_EVENTS_SECONDS = 0.2
_log = logging.getLogger(__name__)


class Kubelet:
    """One task for each pod that runs here."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._slices: dict[str, Manifest] = {}
        self._proxy = ServiceProxy(machine.services, self._slices)
        self._runs: dict[str, PodRun] = {}
        self._ending: dict[str, asyncio.Task[None]] = {}
        self._filled: set[str] = set()
        self._lost: set[str] = set()
        self._addresses: set[str] = set()

    def kinds(self) -> tuple[Kind, ...]:
        """Return what it follows."""
        return (
            Kind("v1", "Service", self._keeping(self._machine.services)),
            Kind("apps/v1", "StatefulSet", self._keeping(self._machine.sets)),
            Kind("discovery.k8s.io/v1", "EndpointSlice", self._keeping(self._slices)),
            Kind("v1", "Node", self._node),
            Kind("v1", "Pod", self._pod),
        )

    async def work(self) -> None:
        """Serve until cancelled; then no process is left."""
        proxy = asyncio.ensure_future(self._proxy.work(self._addresses))
        try:
            while True:
                with suppress(*FAILURES):
                    await self._machine.tell_events()
                await asyncio.sleep(_EVENTS_SECONDS)
        finally:
            proxy.cancel()
            for run in list(self._runs.values()):
                await run.lose()

    async def _pod(self, change: str, pod: Mapping[str, Any]) -> None:
        metadata = pod["metadata"]
        uid = metadata["uid"]
        if RUNS_HERE not in metadata.get("annotations", {}):
            if change != DELETED:
                await self._simulated(pod)
            return
        run = self._runs.get(uid)
        if change == DELETED:
            # Its processes may take a moment, and other pods do not wait for it.
            self._ending[uid] = asyncio.ensure_future(self._forget(uid, grace=0))
            return
        if run is not None:
            run.pod = pod
        if metadata.get("deletionTimestamp"):
            if pod["spec"].get("nodeName") in self._lost:
                return
            if uid not in self._ending:
                self._ending[uid] = asyncio.ensure_future(
                    self._finish(pod, metadata["deletionGracePeriodSeconds"])
                )
            return
        node = pod["spec"].get("nodeName")
        has_ended = pod.get("status", {}).get("phase") in {"Succeeded", "Failed"}
        if run is None and node and not has_ended:
            await self._give_access(pod)
            # After what may fail, so that the pod is told of again; its node may have been lost meanwhile.
            if node not in self._lost:
                run = self._runs[uid] = PodRun(self._machine, pod)
                self._addresses.add(cluster_address(run.address))
                self._proxy.look_again()

    async def _give_access(self, pod: Mapping[str, Any]) -> None:
        folder = self._machine.working_directory(pod, pod["spec"]["containers"][0])
        for each in access_objects(self._machine, pod, folder):
            with suppress(ApiError):
                await self._machine.api.apply(each)

    async def _finish(self, pod: Mapping[str, Any], grace: float) -> None:
        uid = pod["metadata"]["uid"]
        await self._forget(uid, grace)
        with suppress(*FAILURES):
            await self._machine.api.delete(dict(pod), grace_seconds=0)
        self._ending.pop(uid, None)

    async def _forget(self, uid: str, grace: float) -> None:
        run = self._runs.pop(uid, None)
        if run is not None:
            await run.stop(grace)
            self._addresses.discard(cluster_address(run.address))
            self._proxy.look_again()

    async def _simulated(self, pod: Mapping[str, Any]) -> None:
        """A pod of kwok's; what it would have written is written when it has succeeded."""
        uid = pod["metadata"]["uid"]
        if pod.get("status", {}).get("phase") != "Succeeded" or uid in self._filled:
            return
        self._filled.add(uid)
        for words in fill_claims(self._machine.root, pod, await read_objects(self._machine.api, pod)):
            _log.info("model %s", words)

    async def _node(self, change: str, node: Mapping[str, Any]) -> None:
        name = node["metadata"]["name"]
        is_silent = node["metadata"].get("annotations", {}).get(_SILENCE[0]) == _SILENCE[2]
        if change != DELETED and not is_silent:
            self._lost.discard(name)
            return
        self._lost.add(name)
        for uid, run in list(self._runs.items()):
            if run.pod["spec"].get("nodeName") == name:
                self._runs.pop(uid)
                await run.lose()

    def _keeping(self, known: dict[str, Manifest]) -> Changed:
        """What keeps in mind the objects of a kind that there are, by namespace and name."""

        async def keep(change: str, thing: Manifest) -> None:
            key = f"{thing['metadata']['namespace']}/{thing['metadata']['name']}"
            known.pop(key, None)
            if change != DELETED:
                known[key] = thing
            self._proxy.look_again()

        return keep
