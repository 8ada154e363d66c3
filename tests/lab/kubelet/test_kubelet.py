"""The kubelet where the API server does not answer for a moment, and where it begins after what it serves."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from lab.directory import LabDirectory
from lab.kubelet.kubelet import RUNS_HERE, Kubelet
from lab.kubelet.kwok_access import KINDS
from lab.kubelet.machine import Machine
from lab.kubelet.network import cluster_address
from lab.kubelet.pod_run import PodRun
from tests.lab.kubelet.pods import container, pod

DEADLINE_SECONDS = 20.0
SLOT = 7
SERVICE = "127.71.0.9"
SIMULATED = pod(container(image="registry/no-program-of-this-machine:1"))
SIMULATED["metadata"]["annotations"] = {RUNS_HERE: "true"}


class Api:
    """Takes what is written while it answers."""

    def __init__(self) -> None:
        self.answers = True
        self.asked = 0
        self.applied: list[str] = []
        self.statuses: list[dict[str, Any]] = []

    async def apply(self, manifest: dict[str, Any]) -> None:
        self._answer()
        self.applied.append(manifest["kind"])

    async def merge_patch_status(self, manifest: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
        self._answer()
        self.statuses.append(status)
        return SIMULATED | {"metadata": manifest["metadata"], "status": status}

    def _answer(self) -> None:
        self.asked += 1
        if not self.answers:
            raise ConnectionResetError


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def machine(api: Api, tmp_path: Path) -> Machine:
    (tmp_path / "slot").write_text(str(SLOT), encoding="utf-8")
    return Machine(cast("Any", api), LabDirectory(tmp_path), tmp_path / "python", tmp_path)


async def _until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not holds():
            await asyncio.sleep(0.01)


def test_a_status_that_nobody_took_is_written_as_soon_as_the_api_server_answers_again(
    api: Api, machine: Machine
) -> None:
    async def scene() -> None:
        api.answers = False
        run = PodRun(machine, SIMULATED)
        # Of the pod that begins, and of the one that is ready, after which nothing changes.
        await _until(lambda: api.asked == 2)
        api.answers = True
        await _until(lambda: api.statuses and api.statuses[-1]["containerStatuses"][0]["ready"])
        await run.stop(0)

    asyncio.run(scene())


def test_a_pod_whose_access_for_kubectl_could_not_be_written_gets_it_when_it_is_told_of_again(
    api: Api, machine: Machine
) -> None:
    async def scene() -> None:
        kubelet = Kubelet(machine)
        [of_pods] = [each.changed for each in kubelet.kinds() if each.name == "Pod"]
        api.answers = False
        with pytest.raises(ConnectionResetError):
            await of_pods("ADDED", SIMULATED)
        api.answers = True
        await of_pods("ADDED", SIMULATED)
        assert api.applied == [*KINDS]
        await _until(lambda: api.statuses)

    asyncio.run(scene())


def test_a_service_is_served_of_a_pod_that_begins_after_its_endpoints_are_known(machine: Machine) -> None:
    with socket.socket() as probe:
        probe.bind((SERVICE, 0))
        port = probe.getsockname()[1]
    metadata = {"name": "frontend", "namespace": "serving"}
    service = {"metadata": metadata, "spec": {"clusterIP": SERVICE, "ports": [{"port": port}]}}
    endpoints = {
        "metadata": metadata | {"labels": {"kubernetes.io/service-name": "frontend"}},
        "ports": [{"port": port}],
        "endpoints": [
            {"addresses": [cluster_address(machine.address(SIMULATED))], "conditions": {"ready": True}}
        ],
    }

    async def scene() -> None:
        kubelet = Kubelet(machine)
        changed = {each.name: each.changed for each in kubelet.kinds()}
        working = asyncio.ensure_future(kubelet.work())
        await changed["Service"]("ADDED", service)
        await changed["EndpointSlice"]("ADDED", endpoints)
        await asyncio.sleep(0.1)
        assert not _listens(port)
        await changed["Pod"]("ADDED", SIMULATED)
        await _until(lambda: _listens(port))
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    asyncio.run(scene())


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((SERVICE, port)) == 0
