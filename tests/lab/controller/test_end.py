"""A stand-in controller ends when it is told to, and when its cluster is gone."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import kopf
import psutil
import pytest
from aiohttp import web

from lab.controller.api import KubernetesApi
from lab.controller.process import until_cluster_is_gone
from lab.environment import CONTEXT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox

HANGS_SECONDS = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def seconds_until_gone(port: int) -> float:
    began = time.monotonic()
    async with KubernetesApi(kopf.ConnectionInfo(server=f"http://127.0.0.1:{port}"), "test") as api:
        await until_cluster_is_gone(api, patience=0.2, pause=0.02)
    return time.monotonic() - began


def test_it_gives_up_when_the_api_server_does_not_answer_for_a_while() -> None:
    assert 0.2 <= asyncio.run(seconds_until_gone(free_port())) < HANGS_SECONDS


def test_an_answer_in_between_starts_its_patience_anew() -> None:
    answers: list[float] = []

    async def version(_: web.Request) -> web.Response:
        answers.append(time.monotonic())
        return web.json_response({"gitVersion": "v1.36.3"})

    async def outage() -> float:
        application = web.Application()
        application.router.add_get("/version", version)
        runner, port = web.AppRunner(application), free_port()
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        waiting = asyncio.ensure_future(seconds_until_gone(port))
        answered, _ = await asyncio.wait([waiting], timeout=0.6)
        assert not answered
        await runner.cleanup()
        await waiting
        return time.monotonic() - answers[-1]

    assert asyncio.run(outage()) >= 0.2


@pytest.mark.lab
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("module", ["lab.dynamo_operator", "lab.volume_provisioner"])
def test_a_signal_ends_it_without_a_word(
    lab: Sandbox, tmp_path: Path, module: str, number: signal.Signals
) -> None:
    command = [sys.executable, "-P", "-m", module, "--kubeconfig", str(lab.directory.kubeconfig)]
    command += ["--context", CONTEXT]
    if module == "lab.dynamo_operator":
        command += ["--lab-dir", str(tmp_path)]
    log = tmp_path / "log"
    with log.open("wb") as output:
        process = psutil.Popen(command, cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT)
    try:
        await_connection(process)
        process.send_signal(number)
        assert process.wait(timeout=HANGS_SECONDS) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert "Traceback" not in log.read_text(encoding="utf-8")


def await_connection(process: psutil.Process) -> None:
    """Returns when the process talks to the API server."""
    deadline = time.monotonic() + HANGS_SECONDS
    while not any(each.status == psutil.CONN_ESTABLISHED for each in process.net_connections()):
        assert time.monotonic() < deadline, f"no connection within {HANGS_SECONDS} s"
