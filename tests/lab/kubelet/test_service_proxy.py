"""A Service's address leads to its ready pods, and to nobody where there are none."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lab.kubelet.service_proxy import ServiceProxy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

SERVICE, POD, CLUSTER = "127.70.0.77", "127.70.128.77", "10.70.128.77"
DEADLINE_SECONDS = 10.0


METADATA = {
    "name": "frontend",
    "namespace": "serving",
    "labels": {"kubernetes.io/service-name": "frontend"},
}


class Bench:
    """A proxy, and the Service and the one pod behind it that it knows of."""

    def __init__(self, port: int, ours: set[str]) -> None:
        spec = {"clusterIP": SERVICE, "ports": [{"name": "http", "port": port}]}
        self._slices: dict[str, Any] = {}
        self._port = port
        self._proxy = ServiceProxy({"frontend": {"metadata": METADATA, "spec": spec}}, self._slices)
        self.working = asyncio.ensure_future(self._proxy.work(ours))
        self.pod_is(ready=True)

    def pod_is(self, *, ready: bool) -> None:
        found = {"addresses": [CLUSTER], "conditions": {"ready": ready}}
        ports = [{"name": "http", "port": self._port}]
        self._slices["frontend"] = {"metadata": METADATA, "ports": ports, "endpoints": [found]}
        self._proxy.look_again()


async def said(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(SERVICE, port)
    writer.write(b"question")
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def until(port: int, *, listens: bool) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while await _listens(port) != listens:
            await asyncio.sleep(0.01)


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(SERVICE, port)
    except OSError:
        return False
    writer.close()
    return True


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"answer to " + await reader.read())
    writer.close()


@asynccontextmanager
async def proxied(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[tuple[Bench, int]]:
    """A proxy that leads to one ready pod, which serves so, and the port of both."""
    server = await asyncio.start_server(serve, POD, 0)
    port = server.sockets[0].getsockname()[1]
    bench = Bench(port, {CLUSTER})
    await until(port, listens=True)
    try:
        yield bench, port
    finally:
        bench.working.cancel()
        await asyncio.gather(bench.working, return_exceptions=True)
        server.close()


def test_a_service_follows_its_ready_pods() -> None:
    async def play() -> None:
        async with proxied(answer) as (bench, port):
            assert await said(port) == b"answer to question"
            bench.pod_is(ready=False)
            await until(port, listens=False)

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
            # What `until` opened and closed is of no interest here.
            await asyncio.wait_for(noticed.wait(), DEADLINE_SECONDS)
            noticed.clear()
            reader, writer = await asyncio.open_connection(SERVICE, port)
            assert await reader.read(5) == b"word "
            writer.close()
            await asyncio.wait_for(noticed.wait(), DEADLINE_SECONDS)

    asyncio.run(play())
