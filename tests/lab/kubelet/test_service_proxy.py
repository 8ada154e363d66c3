"""A Service's address leads to its ready pods, and to nobody where there are none."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from lab.kubelet.service_proxy import ServiceProxy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

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


@asynccontextmanager
async def proxied(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[tuple[ServiceProxy, int]]:
    """A proxy that leads to one ready pod, which serves so, and the port of both."""
    server = await asyncio.start_server(serve, POD, 0)
    port = server.sockets[0].getsockname()[1]
    proxy = ServiceProxy()
    working = asyncio.ensure_future(proxy.work({CLUSTER}))
    proxy.service(seen("ADDED", spec={"clusterIP": SERVICE, "ports": [{"name": "http", "port": port}]}))
    proxy.endpoints(endpoints(port, ready=True))
    await listening(port)
    try:
        yield proxy, port
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        server.close()


def test_a_service_follows_its_ready_pods() -> None:
    async def play() -> None:
        async with proxied(answer) as (proxy, port):
            assert await said(port) == b"answer to question"
            proxy.endpoints(endpoints(port, ready=False))
            await gone(port)

    asyncio.run(play())


def test_a_client_that_goes_away_in_the_middle_of_an_answer_is_gone_for_the_pod_too() -> None:
    async def play() -> None:
        noticed = asyncio.Event()

        async def never_done(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert reader
            try:
                while True:
                    writer.write(b"word " * 10_000)
                    await writer.drain()
            except ConnectionError:
                noticed.set()

        async with proxied(never_done) as (_, port):
            # What `listening` opened and closed is of no interest here.
            await asyncio.wait_for(noticed.wait(), DEADLINE_SECONDS)
            noticed.clear()
            reader, writer = await asyncio.open_connection(SERVICE, port)
            assert await reader.read(5) == b"word "
            writer.close()
            await asyncio.wait_for(noticed.wait(), DEADLINE_SECONDS)

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
