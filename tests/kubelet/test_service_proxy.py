"""A Service's address leads to its ready pods, and to nobody where there are none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lab.kubelet.service_proxy import ServiceProxy

SERVICE, POD, CLUSTER = "127.70.0.77", "127.70.128.77", "10.70.128.77"
DEADLINE_SECONDS = 10.0


def seen(kind: str, **fields: Any) -> dict[str, Any]:
    metadata = {
        "name": "frontend",
        "namespace": "serving",
        "labels": {"kubernetes.io/service-name": "frontend"},
    }
    return {"type": kind, "object": {"metadata": metadata, **fields}}


def endpoints(port: int, *, ready: bool) -> dict[str, Any]:
    found = {"addresses": [CLUSTER], "conditions": {"ready": ready}}
    return seen("MODIFIED", ports=[{"name": "http", "port": port}], endpoints=[found])


async def said(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(SERVICE, port)
    writer.write(b"question")
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def listening(port: int) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection(SERVICE, port)
            except OSError:
                await asyncio.sleep(0.01)
            else:
                writer.close()
                return


async def gone(port: int) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection(SERVICE, port)
            except OSError:
                return
            writer.close()
            await asyncio.sleep(0.01)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"answer to " + await reader.read())
    writer.close()


def test_a_service_follows_its_ready_pods() -> None:
    async def play() -> None:
        server = await asyncio.start_server(answer, POD, 0)
        port = server.sockets[0].getsockname()[1]
        proxy = ServiceProxy()
        working = asyncio.ensure_future(proxy.work({CLUSTER}))
        spec = {"clusterIP": SERVICE, "ports": [{"name": "http", "port": port}]}
        proxy.service(seen("ADDED", spec=spec))
        proxy.endpoints(endpoints(port, ready=True))
        await listening(port)
        assert await said(port) == b"answer to question"
        proxy.endpoints(endpoints(port, ready=False))
        await gone(port)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        server.close()

    asyncio.run(play())


def test_nothing_listens_for_pods_that_run_elsewhere() -> None:
    async def play() -> None:
        proxy = ServiceProxy()
        working = asyncio.ensure_future(proxy.work(set()))
        proxy.service(seen("ADDED", spec={"clusterIP": SERVICE, "ports": [{"name": "http", "port": 18080}]}))
        proxy.endpoints(endpoints(18080, ready=True))
        for _ in range(5):
            await asyncio.sleep(0)
        with pytest.raises(OSError, match=r"refused|Connect"):
            await said(18080)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    asyncio.run(play())
