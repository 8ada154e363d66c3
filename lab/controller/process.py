"""How a stand-in controller's process begins and ends."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import kopf

from lab.controller.connection import connect
from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from lab.controller.api import KubernetesApi

# A lab that ended by force leaves its stand-ins behind; without this they would run for ever.
CLUSTER_GONE_SECONDS = 60.0
_PROBE_SECONDS = 5.0
_KOPF_SECONDS = 1.0
_REFUSED = 2


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """--kubeconfig and --context, to which a controller adds its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--context", required=True)
    return parser


def run(
    arguments: argparse.Namespace, work: Callable[[kopf.ConnectionInfo], Coroutine[None, None, None]]
) -> int:
    """Runs the controller until SIGTERM, SIGINT or the end of its cluster; returns the exit code."""
    logging.basicConfig(
        stream=sys.stdout, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("lab").setLevel(logging.INFO)
    # Its tracebacks of a lost connection belong to the watch that it renews by itself.
    logging.getLogger("kopf").setLevel(logging.CRITICAL)
    try:
        connection = connect(arguments.kubeconfig, arguments.context)
    except LabError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return _REFUSED
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(work(connection))
    return 0


def quiet_settings() -> kopf.OperatorSettings:
    """Settings for handlers of raw events: nothing is written to watched objects, stopping is quick."""
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.queueing.exit_timeout = 0.5
    settings.networking.connect_timeout = 5.0
    settings.networking.error_backoffs = [1.0, 2.0, 5.0]
    return settings


async def watch_until_stopped(
    registry: kopf.OperatorRegistry, connection: kopf.ConnectionInfo, *companions: Awaitable[None]
) -> None:
    """Runs kopf and the companions until a signal comes or one of them ends; then ends all of them."""

    async def login(**_: object) -> kopf.ConnectionInfo:
        return connection

    kopf.on.login(registry=registry)(login)
    stop, ready = asyncio.Event(), asyncio.Event()
    watching = asyncio.ensure_future(
        kopf.operator(
            registry=registry,
            settings=quiet_settings(),
            clusterwide=True,
            standalone=True,
            stop_flag=stop,
            ready_flag=ready,
        )
    )
    others = [asyncio.ensure_future(each) for each in (_signalled(ready), *companions)]
    done, _ = await asyncio.wait([watching, *others], return_when=asyncio.FIRST_COMPLETED)
    # First the companions: kopf waits five seconds for any task that is not its own.
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    stop.set()
    await asyncio.wait([watching], timeout=_KOPF_SECONDS)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    for task in done:
        task.result()


async def _signalled(ready: asyncio.Event) -> None:
    """Returns at SIGTERM or SIGINT. kopf sets handlers of its own while it starts, so these come after."""
    await ready.wait()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()


async def until_cluster_is_gone(api: KubernetesApi, patience: float = CLUSTER_GONE_SECONDS) -> None:
    """Returns when the API server has not answered for `patience` seconds."""
    answered = time.monotonic()
    while time.monotonic() - answered < patience:
        await asyncio.sleep(_PROBE_SECONDS)
        if await api.is_answering():
            answered = time.monotonic()
    logging.getLogger(__name__).warning("the API server is gone; ending")
