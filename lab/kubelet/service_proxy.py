"""Stand-in for kube-proxy: a Service's address leads to its ready pods on this machine."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.kubelet.network import loopback_address

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWNER = "kubernetes.io/service-name"
_CHUNK_BYTES = 1 << 16
_log = logging.getLogger(__name__)


@dataclass(frozen=True, order=True)
class Listener:
    """One port of one Service."""

    address: str
    port: int


class ServiceProxy:
    """Listens at the Services that have ready pods, and nowhere else: a connection elsewhere is refused."""

    def __init__(self, services: Mapping[str, Any], slices: Mapping[str, Any]) -> None:
        """Take the Services and EndpointSlices that there are; `look_again` tells of a change."""
        self._services = services
        self._slices = slices
        self._servers: dict[Listener, asyncio.Server] = {}
        self._changed = asyncio.Event()

    async def work(self, ours: set[str]) -> None:
        """Listen until cancelled; `ours` are the cluster addresses of the pods that run here."""
        try:
            while True:
                await self._changed.wait()
                self._changed.clear()
                await self._listen(ours)
        finally:
            for server in self._servers.values():
                server.close()

    def look_again(self) -> None:
        """Services, their endpoints or pods came, changed or went."""
        self._changed.set()

    async def _listen(self, ours: set[str]) -> None:
        wanted = {
            listener
            for service in self._services.values()
            for listener, number in _listeners(service)
            if any(each in ours for each, _ in self._targets(service, number))
        }
        for gone in self._servers.keys() - wanted:
            self._servers.pop(gone).close()
        for listener in sorted(wanted - self._servers.keys()):
            try:
                self._servers[listener] = await asyncio.start_server(
                    lambda reader, writer, listener=listener: self._serve(listener, reader, writer),
                    listener.address,
                    listener.port,
                )
            except OSError as error:
                _log.warning("the Service at %s:%s: %s", listener.address, listener.port, error)

    async def _serve(
        self, listener: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        targets = [
            target
            for service in self._services.values()
            for each, number in _listeners(service)
            if each == listener
            for target in self._targets(service, number)
        ]
        try:
            address, port = random.choice(targets)  # noqa: S311 - as kube-proxy chooses
            there, back = await asyncio.open_connection(loopback_address(address), port)
        except (IndexError, OSError):
            writer.transport.abort()
            return
        try:
            await asyncio.gather(_copy(reader, back), _copy(there, writer))
        finally:
            # Left to the collector, a connection whose both sides have said all stays open.
            back.close()
            writer.close()

    def _targets(self, service: Mapping[str, Any], port: Mapping[str, Any]) -> list[tuple[str, int]]:
        """Return the cluster addresses and ports of the ready endpoints behind a Service's port."""
        metadata = service["metadata"]
        return [
            (address, each["port"])
            for found in self._slices.values()
            if found["metadata"]["namespace"] == metadata["namespace"]
            and found["metadata"].get("labels", {}).get(_OWNER) == metadata["name"]
            for each in found.get("ports") or ()
            if (each.get("name") or "") == port.get("name", "")
            for endpoint in found.get("endpoints") or ()
            if endpoint.get("conditions", {}).get("ready")
            for address in endpoint["addresses"]
        ]


def _listeners(service: Mapping[str, Any]) -> list[tuple[Listener, Mapping[str, Any]]]:
    address = service["spec"].get("clusterIP") or "None"
    if address == "None":
        return []
    ports = service["spec"].get("ports") or ()
    return [(Listener(address, each["port"]), each) for each in ports if each.get("protocol", "TCP") == "TCP"]


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(_CHUNK_BYTES):
            target.write(chunk)
            await target.drain()
    with suppress(OSError, RuntimeError):
        target.write_eof() if target.can_write_eof() else target.close()
