"""What the real frontend and runtime add to a request: the mock engine is as fast as it can be.

A step of the mock still takes about a millisecond, so that a request takes one for each of its tokens. One
frontend, one aggregated worker and the client share this machine's processors, so that more streams measure
all three; on a cluster each has processors of its own.
"""

import asyncio
import os
import platform
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import psutil

from lab.answer import first_answer, request_body
from lab.errors import LabError
from lab.kubelet.mock_model import write_model
from lab.toolchain.build import cache_directory
from lab.toolchain.runtime import RUNTIME

STREAMS = (1, 32, 256)
SECONDS = 8.0
TOKENS = 32
UNLIMITED = "1000000"
"""How many times as fast as its profile the mock is. Measured with 1.2.1: 1,000 is no slower than this, and
0, which its help calls infinite, is as slow as 1."""
_MODEL, _REVISION = "openai/gpt-oss-120b", "main"


@dataclass(frozen=True)
class Load:
    """What so many streams at a time got."""

    streams: int
    requests_per_second: float
    first_token_milliseconds: float
    """Median; the same of the next two."""
    milliseconds: float
    """From a request's first byte to its answer's last."""
    slowest_hundredth_milliseconds: float


def machine() -> dict[str, object]:
    """Describe the machine that the figures belong to."""
    return {
        "processors": os.cpu_count(),
        "architecture": platform.machine(),
        "memoryGiB": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def loads() -> list[Load]:
    """Measure each number of streams for some seconds.

    Raises:
        LabError: the runtime is not installed or does not answer, or a request failed.

    """
    with tempfile.TemporaryDirectory() as folder, _serving(Path(folder)) as url:
        first_answer(url)
        return [asyncio.run(_load(url, streams)) for streams in STREAMS]


async def _load(url: str, streams: int) -> Load:
    # Seconds until the first byte of an answer, and until its last.
    answered: list[tuple[float, float]] = []
    began = time.monotonic()
    # The client's own limit is 100 connections.
    async with aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(limit=0)) as session:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(streams):
                    group.create_task(_stream(session, began + SECONDS, answered))
        except* (aiohttp.ClientError, TimeoutError) as failed:
            raise LabError(f"a request failed among {streams} streams: {failed.exceptions[0]!r}") from None
    seconds = time.monotonic() - began
    whole = [each * 1000 for _, each in answered]
    return Load(
        streams,
        round(len(answered) / seconds, 1),
        round(statistics.median(first * 1000 for first, _ in answered), 1),
        round(statistics.median(whole), 1),
        round(statistics.quantiles(whole, n=100)[-1], 1),
    )


async def _stream(session: aiohttp.ClientSession, end: float, answered: list[tuple[float, float]]) -> None:
    body = {**request_body(_MODEL), "max_tokens": TOKENS, "stream": True, "ignore_eos": True}
    while time.monotonic() < end:
        began, first = time.monotonic(), 0.0
        async with session.post("/v1/chat/completions", json=body, raise_for_status=True) as answer:
            async for _ in answer.content.iter_any():
                first = first or time.monotonic() - began
        answered.append((first, time.monotonic() - began))


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    """Start a frontend and a worker that find each other through a folder; yield the frontend's URL."""
    python = str(RUNTIME.install_missing(cache_directory(), print))
    write_model(folder / "hub", _MODEL, _REVISION)
    snapshot = folder / "hub" / f"models--{_MODEL.replace('/', '--')}" / "snapshots" / _REVISION
    (folder / "discovery").mkdir()
    port = _free_port()
    variables = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "HF_HOME": str(folder),
        "HF_HUB_OFFLINE": "1",
        "DYN_DISCOVERY_BACKEND": "file",
        "DYN_FILE_KV": str(folder / "discovery"),
        "DYN_REQUEST_PLANE": "tcp",
        "DYN_EVENT_PLANE": "zmq",
        **dict.fromkeys(("DYN_HTTP_HOST", "DYN_TCP_RPC_HOST"), "127.0.0.1"),
        "DYN_TCP_RESPONSE_STREAM_HOST": "lo",
    }
    frontend = ("dynamo.frontend", "--router-mode", "round-robin", "--http-port", str(port))
    worker = ("dynamo.mocker", "--model-path", str(snapshot), "--model-name", _MODEL)
    with ExitStack() as running:
        for module, *words in (frontend, (*worker, "--speedup-ratio", UNLIMITED)):
            log = running.enter_context((folder / f"{module}.log").open("wb"))
            command = [python, "-m", module, *words]
            process = running.enter_context(subprocess.Popen(command, env=variables, stdout=log, stderr=log))
            # It holds nothing that it would have to hand over.
            running.callback(process.kill)
        yield f"http://127.0.0.1:{port}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
